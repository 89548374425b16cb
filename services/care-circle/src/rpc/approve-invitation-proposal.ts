import {
  type ApproveInvitationProposalRequest,
  type ApproveInvitationProposalResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { approveProposal } from '@family-inbox/workspace-kit/decide-proposals'
import { OUTGOING_MAIL_STOPPED } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import { invitationMailId } from '../invitations/compose-invitation.ts'
import { readNote, requireInvitable } from '../invitations/create-invitation.ts'
import { mayInvite } from '../invitations/find-invitation.ts'
import { hashNetwork, spendMailLimits } from '../invitations/spend-mail-limit.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'
import { memberId } from '../models/member.ts'
import { invitationIdOf, invitationProposals, toWireProposal } from '../proposals/invitation-proposals.ts'
import { requireMember } from '../require-member.ts'
import { requireInvitationsOpen } from '../sign-up.ts'

/** The first of several members who approve it decides what is sent; the others find it sent. */
export function approveInvitationProposal(
  ctx: Context,
): Handler<ApproveInvitationProposalRequest, ApproveInvitationProposalResponse> {
  return async ({ proposalId, message, clientAddress }, call) => {
    const member = await requireMember(ctx, call, { write: true })
    requirePerson(call)
    await requireInvitationsOpen(ctx, requirePrincipal(call))
    const sent = await approveProposal(invitationProposals(ctx), member, proposalId, async (proposal) => {
      if (proposal.role === Role.COORDINATOR) requireRecentSignIn(call)
      const note = readNote(message ?? proposal.message)
      await admit(ctx, proposal, hashNetwork(ctx.config.invitationKey, clientAddress))
      return { message: note }
    })
    return { proposal: toWireProposal(sent) }
  }
}

/** Everything is checked again: days may have passed. The limits come last, so a refused one rarely spends them. */
async function admit(ctx: Context, proposal: InvitationProposal, network: string | undefined): Promise<void> {
  const { workspaceId, personId, email } = proposal
  await requireProposerMayInvite(ctx, proposal)
  await requireInvitable(ctx, { workspaceId, personId }, email)
  const mailId = invitationMailId({ _id: invitationIdOf(proposal), sendNumber: 1 })
  await spendMailLimits(ctx, { workspaceId, invitedBy: personId, email, ...(network && { network }) }, mailId)
}

/** The invitation carries their name and ends with their membership. Who left and came back is a new member. */
async function requireProposerMayInvite(ctx: Context, proposal: InvitationProposal): Promise<void> {
  const { workspaceId, personId, name, createdAt } = proposal
  const [proposer, workspace] = await Promise.all([
    ctx.members.findById(memberId(workspaceId, personId)).lean(),
    ctx.workspaces.findById(workspaceId, { mailStoppedAt: 1 }).lean().orFail(),
  ])
  if (workspace.mailStoppedAt) throw new StatusError('FAILED_PRECONDITION', OUTGOING_MAIL_STOPPED)
  if (mayInvite(proposer) && proposer.joinedAt <= createdAt) return
  throw new StatusError('FAILED_PRECONDITION', `${name} can no longer invite people, so this was not sent. Decline it.`)
}
