import type { NoteRefusedStartRequest, NoteRefusedStartResponse } from '@family-inbox/proto/sandbox/v1/sandbox'
import { clientNetwork } from '@family-inbox/service-kit/http/client-network'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { spendToken } from '../token-bucket.ts'

/** Counts a start that the gateway refused, so that floods of bad arguments are limited too. */
export function noteRefusedStart(ctx: Context): Handler<NoteRefusedStartRequest, NoteRefusedStartResponse> {
  return async ({ clientAddress }, call) => {
    requireService(call, 'gateway')
    await spendToken(ctx, 'refused starts', clientNetwork(clientAddress))
    return {}
  }
}
