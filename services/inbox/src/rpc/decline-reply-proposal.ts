import type { DeclineReplyProposalRequest, DeclineReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { waitingProposals } from '../models/reply-proposal.ts'
import { alreadyDecided, findProposal } from '../proposals/to-wire.ts'

export function declineReplyProposal(ctx: Context): Handler<DeclineReplyProposalRequest, DeclineReplyProposalResponse> {
  return async ({ proposalId }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const { matchedCount } = await ctx.replyProposals.updateOne(
      { _id: proposalId, workspaceId, ...waitingProposals() },
      { $set: { state: 'declined', decidedBy: personId, decidedByName: name, decidedAt: new Date() } },
    )
    if (matchedCount === 1) return {}
    const proposal = await findProposal(ctx, workspaceId, proposalId)
    if (proposal.state !== 'declined') throw alreadyDecided(proposal)
    return {}
  }
}
