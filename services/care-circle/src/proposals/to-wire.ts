import { ProposalState, type InvitationProposal as WireProposal } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { isExpired } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'

const STATES: Record<InvitationProposal['state'], ProposalState> = {
  waiting: ProposalState.WAITING,
  approved: ProposalState.SENT,
  sent: ProposalState.SENT,
  declined: ProposalState.DECLINED,
  expired: ProposalState.EXPIRED,
}

export function toWireProposal(proposal: InvitationProposal): WireProposal {
  const { _id, personId, name, assistant, email, role, relationship, message, createdAt, expiresAt } = proposal
  return {
    id: _id,
    state: isExpired(proposal) ? ProposalState.EXPIRED : STATES[proposal.state],
    personId,
    name,
    assistant,
    email,
    role,
    relationship,
    message,
    createdAt,
    expiresAt,
    invitationId: proposal.invitationId ?? '',
    guarded: proposal.guardMark !== undefined,
  }
}

/** The same error whether or not it exists in another workspace. */
export async function findProposal(ctx: Context, workspaceId: string, _id: string): Promise<InvitationProposal> {
  const proposal = await ctx.invitationProposals
    .findOne({ _id, workspaceId })
    .readConcern('majority')
    .lean<InvitationProposal | null>()
  if (proposal !== null) return proposal
  const message = 'Your family has no invitation with this id that waits for approval.'
  throw new StatusError('NOT_FOUND', message, { field: 'proposalId' })
}
