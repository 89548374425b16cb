import {
  type InviteMemberRequest,
  type InviteMemberResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSession } from '@family-inbox/service-kit/rpc/recent-sign-in'
import type { Context } from '../context.ts'
import { createInvitation, findEarlierInvitation, readInvitation } from '../invitations/create-invitation.ts'
import { invitationToken } from '../invitations/find-invitation.ts'
import { tryMailInvitation } from '../invitations/mail-invitation.ts'
import { findOrPropose } from '../proposals/propose-invitation.ts'
import { requireMember } from '../require-member.ts'
import { requireInvitationsOpen } from '../sign-up.ts'

/** Durable before it returns, even while NATS is down. A repeated request sends once; only the first returns the token. */
export function inviteMember(ctx: Context): Handler<InviteMemberRequest, InviteMemberResponse> {
  return async (request, call) => {
    const inviter = await requireMember(ctx, call, { write: true, proposes: true })
    await requireInvitationsOpen(ctx, requirePrincipal(call))
    const requested = readInvitation(ctx, request)
    const proposed = await findOrPropose(ctx, inviter, requested, request.assistant ?? '')
    if (proposed !== undefined) return proposed
    const earlier = await findEarlierInvitation(ctx, inviter, requested)
    if (!earlier && requested.role === Role.COORDINATOR) requireRecentSession(call)
    const { invitation, isNew } = earlier
      ? { invitation: earlier, isNew: false }
      : await createInvitation(ctx, inviter, requested)
    await tryMailInvitation(ctx, invitation)
    const token = isNew ? invitationToken(ctx.config.invitationKey, invitation._id, invitation.sendNumber) : ''
    return { invitationId: invitation._id, token, expiresAt: invitation.expiresAt }
  }
}
