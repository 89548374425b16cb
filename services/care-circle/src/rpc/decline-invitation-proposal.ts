import type {
  DeclineInvitationProposalRequest,
  DeclineInvitationProposalResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { alreadyDecided, waitingProposals } from '@family-inbox/workspace-kit/proposals'
import { endGuard } from '../assistant-guard.ts'
import type { Context } from '../context.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'
import { findProposal } from '../proposals/to-wire.ts'
import { requireMember } from '../require-member.ts'

export function declineInvitationProposal(
  ctx: Context,
): Handler<DeclineInvitationProposalRequest, DeclineInvitationProposalResponse> {
  return async ({ proposalId }, call) => {
    const { workspaceId, personId, name } = await requireMember(ctx, call, { write: true })
    requirePerson(call)
    const decision = { state: 'declined' as const, decidedBy: personId, decidedByName: name, decidedAt: new Date() }
    const waiting = { _id: proposalId, workspaceId, ...waitingProposals() }
    const declined = await ctx.invitationProposals
      .findOneAndUpdate(waiting, { $set: decision }, { returnDocument: 'after' })
      .lean<InvitationProposal | null>()
    const proposal = declined ?? (await findProposal(ctx, workspaceId, proposalId))
    if (proposal.state !== 'declined') throw alreadyDecided(proposal)
    await endGuard(ctx, proposal)
    return {}
  }
}
