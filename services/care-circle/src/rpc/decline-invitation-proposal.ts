import type {
  DeclineInvitationProposalRequest,
  DeclineInvitationProposalResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { waitingInvitations } from '../models/invitation-proposal.ts'
import { alreadyDecided, findProposal } from '../proposals/to-wire.ts'
import { requireMember } from '../require-member.ts'

export function declineInvitationProposal(
  ctx: Context,
): Handler<DeclineInvitationProposalRequest, DeclineInvitationProposalResponse> {
  return async ({ proposalId }, call) => {
    const { workspaceId, personId, name } = await requireMember(ctx, call, { write: true })
    requirePerson(call)
    const { matchedCount } = await ctx.invitationProposals.updateOne(
      { _id: proposalId, workspaceId, ...waitingInvitations() },
      { $set: { state: 'declined', decidedBy: personId, decidedByName: name, decidedAt: new Date() } },
    )
    if (matchedCount === 1) return {}
    const proposal = await findProposal(ctx, workspaceId, proposalId)
    if (proposal.state !== 'declined') throw alreadyDecided(proposal)
    return {}
  }
}
