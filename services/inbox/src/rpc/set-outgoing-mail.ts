import type { SetOutgoingMailRequest, SetOutgoingMailResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/**
 * Stops or resumes a workspace's replies and invitations. Mail queued while stopped is marked failed and never sent.
 * For the operator.
 */
export function setOutgoingMail(ctx: Context): Handler<SetOutgoingMailRequest, SetOutgoingMailResponse> {
  return async ({ workspaceId, stopped }, call) => {
    requireService(call, 'ops')
    if (stopped)
      await ctx.stoppedWorkspaces.updateOne(
        { _id: workspaceId },
        { $setOnInsert: { stoppedAt: new Date() } },
        { upsert: true },
      )
    else await ctx.stoppedWorkspaces.deleteOne({ _id: workspaceId })
    return {}
  }
}
