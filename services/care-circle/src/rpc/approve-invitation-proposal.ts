import {
  type ApproveInvitationProposalRequest,
  type ApproveInvitationProposalResponse,
  type Membership,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { OUTGOING_MAIL_STOPPED } from '@family-inbox/workspace-kit/outgoing-mail'
import { alreadyDecided, waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { invitationMailId } from '../invitations/compose-invitation.ts'
import { readNote, requireInvitable } from '../invitations/create-invitation.ts'
import { mayInvite } from '../invitations/find-invitation.ts'
import { hashNetwork, spendMailAllowance } from '../invitations/spend-mail-allowance.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'
import { memberId } from '../models/member.ts'
import { invitationIdOf, sendApproved } from '../proposals/send-approved.ts'
import { findProposal, toWireProposal } from '../proposals/to-wire.ts'
import { requireMember } from '../require-member.ts'

/** Of several members who approve it, the first decides what is sent; the others find it sent. */
export function approveInvitationProposal(
  ctx: Context,
): Handler<ApproveInvitationProposalRequest, ApproveInvitationProposalResponse> {
  return async ({ proposalId, message, clientAddress }, call) => {
    const member = await requireMember(ctx, call, { write: true })
    requirePerson(call)
    const proposal = await findProposal(ctx, member.workspaceId, proposalId)
    if (proposal.state === 'waiting' && proposal.role === Role.COORDINATOR) requireRecentSignIn(call)
    // Once approved, its note is what was approved first.
    const approved =
      proposal.state === 'waiting'
        ? await approve(ctx, member, proposal, {
            message: readNote(message ?? proposal.message),
            network: hashNetwork(ctx.config.invitationKey, clientAddress),
          })
        : requireApproved(proposal)
    return { proposal: toWireProposal(approved.state === 'sent' ? approved : await sendApproved(ctx, approved)) }
  }
}

type Approval = { message: string; network: string | undefined }

/** Everything is checked again: days may have passed. The limits come first, so an approved one is rarely refused. */
async function approve(
  ctx: Context,
  member: Membership,
  proposal: InvitationProposal,
  { message, network }: Approval,
): Promise<InvitationProposal> {
  const { _id, workspaceId } = proposal
  try {
    await admit(ctx, proposal, network)
  } catch (error) {
    // Another member may have approved it meanwhile: then the checks find its own invitation.
    const current = await findProposal(ctx, workspaceId, _id)
    if (current.state === 'waiting') throw error
    return requireApproved(current)
  }
  const decision = {
    state: 'approved' as const,
    message,
    decidedBy: member.personId,
    decidedByName: member.name,
    decidedAt: new Date(),
  }
  const approved = await ctx.invitationProposals
    .findOneAndUpdate({ _id, workspaceId, ...waitingProposals() }, { $set: decision }, { returnDocument: 'after' })
    .lean<InvitationProposal | null>()
  crashPoint('invitation-approved')
  return approved ?? requireApproved(await findProposal(ctx, workspaceId, _id))
}

async function admit(ctx: Context, proposal: InvitationProposal, network: string | undefined): Promise<void> {
  const { workspaceId, personId, email } = proposal
  await requireProposerMayInvite(ctx, proposal)
  await requireInvitable(ctx, { workspaceId, personId }, email)
  const mailId = invitationMailId({ _id: invitationIdOf(proposal), sendNumber: 1 })
  await spendMailAllowance(ctx, { workspaceId, invitedBy: personId, email, ...(network && { network }) }, mailId)
}

function requireApproved(proposal: InvitationProposal): InvitationProposal {
  if (proposal.state === 'approved' || proposal.state === 'sent') return proposal
  throw alreadyDecided(proposal)
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
