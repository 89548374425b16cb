import type { ListReplyProposalsRequest, ListReplyProposalsResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { findWaiting } from '@family-inbox/workspace-kit/decide-proposals'
import type { Context } from '../context.ts'
import { replyProposals, toWireProposal } from '../replying/reply-proposals.ts'

export function listReplyProposals(ctx: Context): Handler<ListReplyProposalsRequest, ListReplyProposalsResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    const rows = await findWaiting(replyProposals(ctx), workspaceId)
    const messages = await ctx.messages
      .find({ _id: { $in: rows.map(({ messageRowId }) => messageRowId) } }, { subject: 1 })
      .lean()
    const subjectOf = new Map(messages.map(({ _id, subject }) => [_id, subject]))
    return { proposals: rows.map((row) => toWireProposal(row, subjectOf.get(row.messageRowId))) }
  }
}
