import type { TryMailboxRequest, TryMailboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { mailboxNotFound } from '../fetching/mailbox-not-found.ts'

/** Connects to a mailbox now. One that a member paused stays paused. Owner and coordinators only. */
export function tryMailbox(ctx: Context): Handler<TryMailboxRequest, TryMailboxResponse> {
  return async ({ mailboxId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const own = { _id: mailboxId, workspaceId }
    const { matchedCount } = await ctx.mailboxes.updateOne(
      { ...own, paused: { $ne: 'byMember' } },
      { $set: { dueAt: new Date(), failures: 0 }, $unset: { holder: 1, paused: 1 } },
    )
    if (matchedCount === 0 && !(await ctx.mailboxes.exists(own))) throw mailboxNotFound()
    ctx.wake.mailboxes()
    return {}
  }
}
