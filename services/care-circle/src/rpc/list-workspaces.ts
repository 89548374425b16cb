import type {
  ListWorkspacesRequest,
  ListWorkspacesResponse,
  Workspace,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireProvenEmail } from '../require-member.ts'

/** Signed-in people only: tool keys and grants see one workspace. */
export function listWorkspaces(ctx: Context): Handler<ListWorkspacesRequest, ListWorkspacesResponse> {
  return async (_request, call) => {
    requireProvenEmail(call)
    const { personId } = requirePrincipal(call)
    const members = await ctx.members.find({ personId }, { workspaceId: 1, role: 1 }).sort({ joinedAt: 1 }).lean()
    const rows = await ctx.workspaces.find({ _id: { $in: members.map((member) => member.workspaceId) } }).lean()
    const nameOf = new Map(rows.map(({ _id, name }) => [_id, name]))
    const workspaces = members.flatMap(({ workspaceId, role }): Workspace[] => {
      const name = nameOf.get(workspaceId)
      return name === undefined ? [] : [{ id: workspaceId, name, role }]
    })
    return { workspaces }
  }
}
