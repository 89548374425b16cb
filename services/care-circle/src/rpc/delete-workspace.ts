import type { DeleteWorkspaceRequest, DeleteWorkspaceResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import type { Context } from '../context.ts'
import { changeWorkspace, requireOwner, requireStillOwner } from '../workspace/change-workspace.ts'
import { PUBLISH_GRACE_MS, publishRemoval } from '../workspace/remove-workspace.ts'

/** Members and access end in one transaction. Each service deletes the rest when the removal is announced. */
export function deleteWorkspace(ctx: Context): Handler<DeleteWorkspaceRequest, DeleteWorkspaceResponse> {
  return async (_request, call) => {
    const caller = await requireOwner(ctx, call)
    requireRecentSignIn(call)
    const { workspaceId } = caller
    const removal = { _id: workspaceId, kind: 'workspace' } as const
    await changeWorkspace(ctx, workspaceId, call.deadline, async (session) => {
      await requireStillOwner(ctx, caller, session)
      await ctx.removals.insertOne({ ...removal, dueAt: new Date(Date.now() + PUBLISH_GRACE_MS) }, { session })
      await ctx.members.deleteMany({ workspaceId }, { session })
      await ctx.lovedOnes.deleteMany({ workspaceId }, { session })
      await ctx.invitations.deleteMany({ workspaceId }, { session })
      await ctx.providerCodes.deleteMany({ workspaceId }, { session })
      await ctx.calendarFeeds.deleteMany({ workspaceId }, { session })
      await ctx.emergencyLinks.deleteMany({ workspaceId }, { session })
      await ctx.workspaces.deleteOne({ _id: workspaceId }, { session })
    })
    await publishRemoval(ctx, removal).catch((error) => {
      ctx.logger.warn(describeError(error), 'could not announce a deleted workspace; will retry')
      ctx.wake.removals()
    })
    return {}
  }
}
