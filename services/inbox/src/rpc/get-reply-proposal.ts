import type { GetReplyProposalRequest, GetReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { findProposal } from '@family-inbox/workspace-kit/decide-proposals'
import type { Context } from '../context.ts'
import { replyProposals, toWireProposal } from '../replying/reply-proposals.ts'

export function getReplyProposal(ctx: Context): Handler<GetReplyProposalRequest, GetReplyProposalResponse> {
  return async ({ proposalId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    const proposal = await findProposal(replyProposals(ctx), workspaceId, proposalId)
    const message = await ctx.messages.findById(proposal.messageRowId, { subject: 1 }).lean()
    return { proposal: toWireProposal(proposal, message?.subject) }
  }
}
