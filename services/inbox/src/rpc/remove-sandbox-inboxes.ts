import type { RemoveSandboxInboxesRequest, RemoveSandboxInboxesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { removeMailOf } from '../deleting/remove-workspace.ts'

/** Marks the addresses removed, so none is issued twice. Never touches a claimed inbox. */
export function removeSandboxInboxes(ctx: Context): Handler<RemoveSandboxInboxesRequest, RemoveSandboxInboxesResponse> {
  return async ({ workspaceIds }, call) => {
    requireService(call, 'sandbox')
    const sandboxes = { workspaceId: { $in: workspaceIds }, sandbox: true as const }
    await ctx.inboxAddresses.updateMany({ ...sandboxes, removedAt: null }, { $set: { removedAt: new Date() } })
    await removeMailOf(ctx, await ctx.inboxAddresses.distinct('workspaceId', sandboxes))
    return {}
  }
}
