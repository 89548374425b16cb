import type { ListStoppedRecipientsRequest, ListStoppedRecipientsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { findStoppedRecipients, toWireStop } from '../sending/stopped-mail.ts'

const MOST = 200

/** Only hashes of addresses are stored, so the caller names those it asks about. */
export function listStoppedRecipients(
  ctx: Context,
): Handler<ListStoppedRecipientsRequest, ListStoppedRecipientsResponse> {
  return async ({ addresses }, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    if (addresses.length > MOST) throw invalidArgument('addresses', `addresses must be at most ${MOST}.`)
    const stopped = await findStoppedRecipients(ctx, workspaceId, addresses)
    return { stopped: stopped.map(toWireStop) }
  }
}
