import type { CancelInvitationRequest, CancelInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { invitationNotFound, openInvitations } from '../invitations/find-invitation.ts'
import { requireMember } from '../require-member.ts'

export function cancelInvitation(ctx: Context): Handler<CancelInvitationRequest, CancelInvitationResponse> {
  return async (request, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const { matchedCount } = await ctx.invitations.updateOne(
      { _id: request.invitationId, workspaceId, ...openInvitations() },
      { $set: { state: 'canceled' }, $unset: { mailDueAt: 1, network: 1 } },
    )
    if (matchedCount === 0) throw invitationNotFound()
    return {}
  }
}
