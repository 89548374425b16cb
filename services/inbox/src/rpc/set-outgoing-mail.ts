import type { SetOutgoingMailRequest, SetOutgoingMailResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** For the operator. Replies and invitations queued while stopped are marked failed and never sent. */
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
