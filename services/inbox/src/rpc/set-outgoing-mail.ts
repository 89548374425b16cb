import type { SetOutgoingMailRequest, SetOutgoingMailResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/**
 * Stops a workspace's replies and invitations, or lets them go out again. What is in the queue while they are stopped is marked
 * as not sent, and does not go out later. For the operator.
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
