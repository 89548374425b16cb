import type {
  ListUnclaimedWorkspacesRequest,
  ListUnclaimedWorkspacesResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function listUnclaimedWorkspaces(
  ctx: Context,
): Handler<ListUnclaimedWorkspacesRequest, ListUnclaimedWorkspacesResponse> {
  return async ({ workspaceIds }, call) => {
    requireService(call, 'sandbox')
    const rows = await ctx.workspaces.find({ _id: { $in: workspaceIds }, sandbox: true }, { _id: 1 }).lean()
    return { workspaceIds: rows.map(({ _id }) => _id) }
  }
}
