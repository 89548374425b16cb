import type { AcceptInvitationRequest, AcceptInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { invalidInvitation, mayInviterInvite, openInvitations } from '../invitations/find-invitation.ts'
import { hashInvitationToken, type Invitation } from '../models/invitation.ts'
import { memberId } from '../models/member.ts'
import { requireProvenEmail } from '../require-member.ts'
import { requireMayJoin } from '../sign-up.ts'
import { changeWorkspace } from '../workspace/change-workspace.ts'

type Joiner = { personId: string; name: string }

/** Works once, for the person who proves the invited email. A repeated call returns the same answer. */
export function acceptInvitation(ctx: Context): Handler<AcceptInvitationRequest, AcceptInvitationResponse> {
  return async (request, call) => {
    const principal = requirePrincipal(call)
    const { personId } = principal
    const email = requireProvenEmail(call)
    await requireMayJoin(ctx, principal)
    const name = requirePlainLine('name', request.name, 120)
    const tokenHash = hashInvitationToken(request.token)
    const invitation = await ctx.invitations.findOne({ tokenHash, email }).lean()
    if (!invitation) throw invalidInvitation()
    const { workspaceId } = invitation
    const join = (session: ClientSession) => joinWorkspace(ctx, invitation, { personId, name }, session)
    const outcome = await changeWorkspace(ctx, workspaceId, call.deadline, join)
    if (outcome === 'was a member') throw new StatusError('ALREADY_EXISTS', 'You are already in this family.')
    return { workspaceId, role: outcome.role }
  }
}

async function joinWorkspace(
  ctx: Context,
  invitation: Invitation,
  { personId, name }: Joiner,
  session: ClientSession,
): Promise<Pick<Invitation, 'role'> | 'was a member'> {
  const { _id, tokenHash, workspaceId, email, role, relationship } = invitation
  const accepted = await ctx.invitations
    .findOneAndUpdate(
      { _id, tokenHash, ...openInvitations() },
      { $set: { state: 'accepted', acceptedBy: personId }, $unset: { mailDueAt: 1, network: 1 } },
      { session },
    )
    .lean()
  const member = await ctx.members.findById(memberId(workspaceId, personId), { role: 1 }).session(session).lean()
  if (!accepted) {
    const answeredBefore = await ctx.invitations.exists({ _id, acceptedBy: personId }).session(session)
    if (member && answeredBefore) return member
    throw invalidInvitation()
  }
  if (member) return 'was a member'
  if (!(await mayInviterInvite(ctx, accepted, session))) throw invalidInvitation()
  const joinedAt = new Date()
  // In the transaction that changes the workspace, so no member misses a setting.
  const { assistants } = await ctx.workspaces.findById(workspaceId, { assistants: 1 }).session(session).lean().orFail()
  const joiner = {
    _id: memberId(workspaceId, personId),
    workspaceId,
    personId,
    name,
    email,
    role,
    relationship,
    joinedAt,
  }
  await ctx.members.insertOne({ ...joiner, ...(assistants && { assistants }) }, { session })
  return { role }
}
