import type { NoteRefusedStartRequest, NoteRefusedStartResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { spendToken } from '../admission/token-bucket.ts'
import type { Context } from '../context.ts'

/** Counts a start whose arguments the gateway refused, so that a flood of those is limited too. */
export function noteRefusedStart(ctx: Context): Handler<NoteRefusedStartRequest, NoteRefusedStartResponse> {
  return async ({ clientAddress }, call) => {
    requireService(call, 'gateway')
    await spendToken(ctx, 'refused starts', clientNetwork(clientAddress))
    return {}
  }
}
