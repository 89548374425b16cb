import type { GetReplyProposalRequest, GetReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findProposal, toWireProposal } from '../replying/find-proposal.ts'

export function getReplyProposal(ctx: Context): Handler<GetReplyProposalRequest, GetReplyProposalResponse> {
  return async ({ proposalId }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    const proposal = await findProposal(ctx, workspaceId, proposalId)
    const message = await ctx.messages.findById(proposal.messageRowId, { subject: 1 }).lean()
    return { proposal: toWireProposal(proposal, message?.subject) }
  }
}
