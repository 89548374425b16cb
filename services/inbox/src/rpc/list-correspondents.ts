import type { ListCorrespondentsRequest, ListCorrespondentsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

const MOST = 500

/** The family's address book without its own members, heard from or written to last first. */
export function listCorrespondents(ctx: Context): Handler<ListCorrespondentsRequest, ListCorrespondentsResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    const asked = { workspaceId, personIds: [], emails: [], owner: false, everyone: true }
    const [rows, { recipients }] = await Promise.all([
      ctx.correspondents.find({ workspaceId }).sort({ lastAt: -1 }).limit(MOST).lean(),
      ctx.careCircle.listMailRecipients(asked),
    ])
    const members = new Set(recipients.map(({ email }) => email))
    const others = rows.filter(({ address }) => !members.has(address))
    return { correspondents: others.map(({ address, name, lastAt }) => ({ address, name, lastAt })) }
  }
}
