import type { GetInvitationRequest, GetInvitationResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Call, type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { hasStandingInviter, openInvitations, tokenLeadsNowhere } from '../invitations/find-invitation.ts'
import { hashInvitationToken } from '../models/invitation.ts'
import { memberId } from '../models/member.ts'

/**
 * What a link leads to. A link can be in other hands than the mailbox is (a forwarded mail, a history, a proxy's log), so
 * names and the full address are only for a caller who has proved that address; anybody else sees enough of the address
 * to know which one to sign in with.
 */
export function getInvitation(ctx: Context): Handler<GetInvitationRequest, GetInvitationResponse> {
  return async (request, call) => {
    const provenEmail = provenEmailOf(call)
    const tokenHash = hashInvitationToken(request.token)
    const invitation = await ctx.invitations.findOne({ tokenHash, ...openInvitations() }).lean()
    if (!invitation || !(await hasStandingInviter(ctx, invitation))) throw tokenLeadsNowhere()
    const { email, role, expiresAt, workspaceId, invitedBy } = invitation
    if (email !== provenEmail) return { workspaceName: '', invitedByName: '', email: maskEmail(email), role, expiresAt }
    const [workspace, inviter] = await Promise.all([
      ctx.workspaces.findById(workspaceId).lean().orFail(),
      ctx.members.findById(memberId(workspaceId, invitedBy)).lean().orFail(),
    ])
    return { workspaceName: workspace.name, invitedByName: inviter.name, email, role, expiresAt }
  }
}

/** The site asks for itself while nobody is signed in, and on behalf of whoever is. */
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
