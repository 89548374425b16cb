import type {
  RemoveSandboxWorkspacesRequest,
  RemoveSandboxWorkspacesResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'

/** A concurrent claim writes the same row, so that one of them retries. Call again if interrupted. */
export function removeSandboxWorkspaces(
  ctx: Context,
): Handler<RemoveSandboxWorkspacesRequest, RemoveSandboxWorkspacesResponse> {
  return async ({ workspaceIds }, call) => {
    requireService(call, 'sandbox')
    const claimedWorkspaceIds = await ctx.connection.transaction((session) => remove(ctx, workspaceIds, session))
    const removed = workspaceIds.filter((id) => !claimedWorkspaceIds.includes(id))
    await deleteOwned(ctx.connection, 'workspaceId', removed)
    return { claimedWorkspaceIds }
  }
}

async function remove(ctx: Context, workspaceIds: string[], session: ClientSession): Promise<string[]> {
  const claimed = await ctx.workspaces
    .find({ _id: { $in: workspaceIds }, sandbox: { $ne: true } }, { _id: 1 })
    .session(session)
    .lean()
  const claimedIds = claimed.map(({ _id }) => _id)
  const unclaimed = { $in: workspaceIds.filter((id) => !claimedIds.includes(id)) }
  await ctx.workspaces.deleteMany({ _id: unclaimed, sandbox: true }, { session })
  await ctx.members.deleteMany({ workspaceId: unclaimed }, { session })
  await ctx.lovedOnes.deleteMany({ workspaceId: unclaimed }, { session })
  return claimedIds
}
