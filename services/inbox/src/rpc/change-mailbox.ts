import type { ChangeMailboxRequest, ChangeMailboxResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { mailboxNotFound } from '../fetching/mailbox-not-found.ts'
import { readPassword } from '../fetching/read-mailbox.ts'
import { requireOwner } from '../fetching/require-owner.ts'

/** Pauses or resumes fetching, or replaces the password. Whatever connection there is ends. Owner only. */
export function changeMailbox(ctx: Context): Handler<ChangeMailboxRequest, ChangeMailboxResponse> {
  return async ({ mailboxId: _id, paused, password }, call) => {
    const { workspaceId } = await requireOwner(ctx, call)
    const sealed = password === undefined ? {} : { sealed: ctx.mailboxSecrets.seal(readPassword(password), _id) }
    const resumed = paused === false || (paused === undefined && password !== undefined)
    const change = {
      $set: {
        ...sealed,
        ...(paused && { paused: 'byMember' as const }),
        ...(resumed && { dueAt: new Date(), failures: 0 }),
      },
      $unset: { holder: 1, ...(paused && { dueAt: 1 }), ...(resumed && { paused: 1, problem: 1 }) },
    }
    // A password would take the place of the access that the account's provider gave.
    const own = { _id, workspaceId, ...(password !== undefined && { oauthProvider: { $exists: false } }) }
    const { matchedCount } = await ctx.mailboxes.updateOne(own, change)
    if (matchedCount === 0) throw mailboxNotFound()
    ctx.wake.mailboxes()
    return {}
  }
}
