import type { ListMailboxesRequest, ListMailboxesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { toWireMailbox } from '../fetching/to-wire-mailbox.ts'

/** The mailboxes that the family's mail is fetched from, without their passwords. */
export function listMailboxes(ctx: Context): Handler<ListMailboxesRequest, ListMailboxesResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    const rows = await ctx.mailboxes.find({ workspaceId }, { sealed: 0 }).sort({ addedAt: 1 }).lean()
    return { mailboxes: rows.map(toWireMailbox), oauthProviders: Object.keys(ctx.config.mailboxOauth) }
  }
}
