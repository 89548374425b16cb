import type { RemoveSandboxInboxesRequest, RemoveSandboxInboxesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'

/** Marks the addresses removed, so none is issued twice. Never touches a claimed inbox. */
export function removeSandboxInboxes(ctx: Context): Handler<RemoveSandboxInboxesRequest, RemoveSandboxInboxesResponse> {
  return async ({ workspaceIds }, call) => {
    requireService(call, 'sandbox')
    const sandboxes = { workspaceId: { $in: workspaceIds }, sandbox: true as const }
    await ctx.inboxAddresses.updateMany({ ...sandboxes, removedAt: null }, { $set: { removedAt: new Date() } })
    await deleteOwned(ctx.connection, 'workspaceId', await ctx.inboxAddresses.distinct('workspaceId', sandboxes))
    return {}
  }
}
