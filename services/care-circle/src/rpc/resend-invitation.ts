import type { ResendInvitationRequest, ResendInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { invitationMailId } from '../invitations/compose-invitation.ts'
import { INVITATION_LIFETIME_MS } from '../invitations/create-invitation.ts'
import { invitationNotFound, invitationToken, openInvitations } from '../invitations/find-invitation.ts'
import { MAIL_GRACE_MS, tryMailInvitation } from '../invitations/mail-invitation.ts'
import { hashNetwork, spendMailLimits } from '../invitations/spend-mail-limit.ts'
import { hashInvitationToken, type Invitation } from '../models/invitation.ts'
import { requireMember } from '../require-member.ts'
import { requireInvitationsOpen } from '../sign-up.ts'

/** While the caller's last mail is not queued, queues that one, so that a retry sends one mail. Ends the old token. */
export function resendInvitation(ctx: Context): Handler<ResendInvitationRequest, ResendInvitationResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await requireMember(ctx, call, { write: true })
    await requireInvitationsOpen(ctx, requirePrincipal(call))
    const open = { _id: request.invitationId, workspaceId }
    const invitation = await ctx.invitations.findOne({ ...open, ...openInvitations() }).lean()
    if (!invitation) throw invitationNotFound()
    const isUnderWay = invitation.mailDueAt !== undefined && invitation.invitedBy === personId
    const network = hashNetwork(ctx.config.invitationKey, request.clientAddress)
    const asked = { ...invitation, invitedBy: personId, ...(network && { network }) }
    const renewed = isUnderWay ? null : await renew(ctx, asked)
    const current = renewed ?? (await ctx.invitations.findOne({ ...open, ...openInvitations() }).lean())
    if (!current) throw invitationNotFound()
    await tryMailInvitation(ctx, current)
    const token = renewed ? invitationToken(ctx.config.invitationKey, renewed._id, renewed.sendNumber) : ''
    return { token, expiresAt: current.expiresAt }
  }
}

async function renew(ctx: Context, invitation: Invitation): Promise<Invitation | null> {
  const { _id, invitedBy } = invitation
  const sendNumber = invitation.sendNumber + 1
  const now = Date.now()
  const renewal = {
    sendNumber,
    tokenHash: hashInvitationToken(invitationToken(ctx.config.invitationKey, _id, sendNumber)),
    invitedBy,
    mailDueAt: new Date(now + MAIL_GRACE_MS),
    expiresAt: new Date(now + INVITATION_LIFETIME_MS),
  }
  await spendMailLimits(ctx, invitation, invitationMailId({ _id, sendNumber }))
  return ctx.invitations
    .findOneAndUpdate(
      { _id, sendNumber: invitation.sendNumber, ...openInvitations() },
      { $set: renewal },
      { returnDocument: 'after' },
    )
    .lean()
}
