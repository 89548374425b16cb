import type { Context } from '../context.ts'
import type { Route } from '../shell/mount-routes.ts'
import { recentlySignedIn } from '../shell/session.ts'
import { inWorkspace, type WorkspaceHandler } from '../shell/workspace.ts'
import { decideInvitation, showInvitationProposal } from './invitation-proposal.ts'
import { besideApprovals, showApprovals } from './list.ts'
import { decideReply, showReplyProposal } from './reply-proposal.ts'

export function approvalRoutes(ctx: Context): Route[] {
  const one = (path: string, get: WorkspaceHandler, post: WorkspaceHandler): Route => ({
    path: `/approvals${path}`,
    hasLongForm: true,
    get: inWorkspace(ctx, besideApprovals(ctx, get)),
    post: recentlySignedIn(inWorkspace(ctx, besideApprovals(ctx, post)), ['message']),
  })
  return [
    { path: '/approvals', get: inWorkspace(ctx, showApprovals(ctx)) },
    one('/replies/:id', showReplyProposal(ctx), decideReply(ctx)),
    one('/invitations/:id', showInvitationProposal(ctx), decideInvitation(ctx)),
  ]
}
