import type { RemoveMailboxRequest, RemoveMailboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireOwner } from '../fetching/require-owner.ts'

/** Ends fetching, at the latest with the next message. What was fetched stays. Owner only. */
export function removeMailbox(ctx: Context): Handler<RemoveMailboxRequest, RemoveMailboxResponse> {
  return async ({ mailboxId }, call) => {
    const { workspaceId } = await requireOwner(ctx, call)
    await ctx.mailboxes.deleteOne({ _id: mailboxId, workspaceId })
    return {}
  }
}
