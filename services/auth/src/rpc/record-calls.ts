import type { RecordCallsRequest, RecordCallsResponse, RecordedCall } from '@family-inbox/proto/auth/v1/auth'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { RecordedCall as Row } from '../models/call.ts'

/** Stores finished calls (SPEC "Every call is audited"). Idempotent. */
export function recordCalls(ctx: Context): Handler<RecordCallsRequest, RecordCallsResponse> {
  return async (request, call) => {
    requireService(call, 'gateway')
    await insertOnce(ctx.calls.collection, request.calls.map(toRow))
    return {}
  }
}

function toRow({ id, startedAt, ...rest }: RecordedCall): Row {
  return { _id: id, startedAt: startedAt ?? new Date(), ...rest }
}
