import type { HasWorkspaceRequest, HasWorkspaceResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { families } from '../models/workspace.ts'

export function hasWorkspace(ctx: Context): Handler<HasWorkspaceRequest, HasWorkspaceResponse> {
  return async (_request, call) => {
    requireService(call, 'auth')
    return { found: (await ctx.workspaces.exists(families())) !== null }
  }
}
