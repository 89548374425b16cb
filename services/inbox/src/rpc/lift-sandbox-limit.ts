import type { LiftSandboxLimitRequest, LiftSandboxLimitResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function liftSandboxLimit(ctx: Context): Handler<LiftSandboxLimitRequest, LiftSandboxLimitResponse> {
  return async ({ workspaceId }, call) => {
    requireService(call, 'sandbox')
    await ctx.inboxAddresses.updateMany({ workspaceId, removedAt: null }, { $unset: { sandbox: 1, quota: 1 } })
    return {}
  }
}
