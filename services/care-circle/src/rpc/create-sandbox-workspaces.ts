import type {
  CreateSandboxWorkspacesRequest,
  CreateSandboxWorkspacesResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { LovedOne } from '../models/loved-one.ts'
import { syntheticOwner } from '../models/member.ts'
import type { Workspace } from '../models/workspace.ts'

/** Needs no transaction: the sandbox service hides them until they are complete, and retries after a crash. */
export function createSandboxWorkspaces(
  ctx: Context,
): Handler<CreateSandboxWorkspacesRequest, CreateSandboxWorkspacesResponse> {
  return async ({ workspaces: requested }, call) => {
    requireService(call, 'sandbox')
    const createdAt = new Date()
    const workspaces = requested.map(
      ({ workspaceId, name }): Workspace => ({ _id: workspaceId, name, plan: 'family', createdAt, sandbox: true }),
    )
    const owners = requested.map(({ workspaceId }) => syntheticOwner(workspaceId, createdAt))
    const lovedOnes = requested.map(
      ({ workspaceId, lovedOneId, lovedOneName }): LovedOne => ({
        _id: lovedOneId,
        workspaceId,
        name: lovedOneName,
        createdAt,
      }),
    )
    await Promise.all([
      insertOnce(ctx.workspaces.collection, workspaces),
      insertOnce(ctx.members.collection, owners),
      insertOnce(ctx.lovedOnes.collection, lovedOnes),
    ])
    return {}
  }
}
