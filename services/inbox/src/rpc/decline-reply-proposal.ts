import type { DeclineReplyProposalRequest, DeclineReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { alreadyDecided, waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'
import { findProposal } from '../replying/find-proposal.ts'
import { endGuard } from '../replying/guard.ts'

export function declineReplyProposal(ctx: Context): Handler<DeclineReplyProposalRequest, DeclineReplyProposalResponse> {
  return async ({ proposalId }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const decision = { state: 'declined' as const, decidedBy: personId, decidedByName: name, decidedAt: new Date() }
    const waiting = { _id: proposalId, workspaceId, ...waitingProposals() }
    const declined = await ctx.replyProposals
      .findOneAndUpdate(waiting, { $set: decision }, { returnDocument: 'after' })
      .lean<ReplyProposal | null>()
    const proposal = declined ?? (await findProposal(ctx, workspaceId, proposalId))
    if (proposal.state !== 'declined') throw alreadyDecided(proposal)
    await endGuard(ctx, proposal)
    return {}
  }
}
