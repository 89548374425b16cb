import type { GetInvitationRequest, GetInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Call, type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { findOpenInvitation } from '../invitations/find-invitation.ts'
import { memberId } from '../models/member.ts'

/** Links leak (forwards, history, proxy logs), so only a caller who proved the invited email gets names. */
export function getInvitation(ctx: Context): Handler<GetInvitationRequest, GetInvitationResponse> {
  return async (request, call) => {
    const provenEmail = provenEmailOf(call)
    const { email, role, expiresAt, workspaceId, invitedBy } = await findOpenInvitation(ctx, request.token)
    if (email !== provenEmail) return { workspaceName: '', invitedByName: '', email: maskEmail(email), role, expiresAt }
    const [workspace, inviter] = await Promise.all([
      ctx.workspaces.findById(workspaceId).lean().orFail(),
      ctx.members.findById(memberId(workspaceId, invitedBy)).lean().orFail(),
    ])
    return { workspaceName: workspace.name, invitedByName: inviter.name, email, role, expiresAt }
  }
}

/** The site calls as itself when nobody is signed in. */
function provenEmailOf(call: Call): string | undefined {
  if (call.caller.kind === 'principal') return call.caller.email
  requireService(call, 'site')
}

/** `m•••@e•••.org` */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const [local = ''] = email
  const [domain = ''] = email.slice(at + 1)
  return `${local}•••@${domain}•••${email.slice(email.lastIndexOf('.'))}`
}
