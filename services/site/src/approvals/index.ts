import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { decideInvitation, showInvitationProposal } from './invitation-proposal.ts'
import { showApprovals } from './list.ts'
import { decideReply, showReplyProposal } from './reply-proposal.ts'

export function approvalRoutes(ctx: Context): Route[] {
  const route = (path: string, get: WorkspaceHandler, post?: WorkspaceHandler): Route => ({
    path: `/approvals${path}`,
    hasLongForm: true,
    get: inWorkspace(ctx, get),
    ...(post && { post: inWorkspace(ctx, post) }),
  })
  return [
    route('', showApprovals(ctx)),
    route('/replies/:id', showReplyProposal(ctx), decideReply(ctx)),
    route('/invitations/:id', showInvitationProposal(ctx), decideInvitation(ctx)),
  ]
}
