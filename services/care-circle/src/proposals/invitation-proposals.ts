import { ProposalState, type InvitationProposal as WireProposal } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ProposalKind } from '@family-inbox/workspace-kit/decide-proposals'
import { shownState } from '@family-inbox/workspace-kit/proposals'
import { endGuard } from '../assistant-guard.ts'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { createInvitation, findEarlierInvitation } from '../invitations/create-invitation.ts'
import { tryMailInvitation } from '../invitations/mail-invitation.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'

/** Invitations that wait for a member. */
export function invitationProposals(ctx: Context): ProposalKind<InvitationProposal> {
  return {
    rows: ctx.invitationProposals,
    noun: 'invitation',
    async send(proposal) {
      const { _id, workspaceId, personId, email, role, relationship, message } = proposal
      // The key has a line break, which no request can contain.
      const request = { email, role, relationship, message, idempotencyKey: `proposal\n${_id}` }
      const inviter = { workspaceId, personId }
      const invitation =
        (await findEarlierInvitation(ctx, inviter, request)) ??
        (await createInvitation(ctx, inviter, request, invitationIdOf(proposal))).invitation
      await tryMailInvitation(ctx, invitation)
      return { invitationId: invitation._id }
    },
    endGuard: (proposal) => endGuard(ctx, proposal),
    crashPoint: (at) => crashPoint(at === 'approved' ? 'invitation-approved' : 'invitation-proposal-marked'),
  }
}

/** Every attempt creates the same invitation, so limits and mail count once. */
export function invitationIdOf({ _id }: Pick<InvitationProposal, '_id'>): string {
  return _id.replace(/^invp_/, 'inv_')
}

const STATES = {
  waiting: ProposalState.WAITING,
  sent: ProposalState.SENT,
  declined: ProposalState.DECLINED,
  expired: ProposalState.EXPIRED,
}

export function toWireProposal(proposal: InvitationProposal): WireProposal {
  const { _id, personId, name, assistant, email, role, relationship, message, createdAt, expiresAt } = proposal
  return {
    id: _id,
    state: STATES[shownState(proposal)],
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
