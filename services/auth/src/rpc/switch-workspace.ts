import type { SwitchWorkspaceRequest, SwitchWorkspaceResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function switchWorkspace(ctx: Context): Handler<SwitchWorkspaceRequest, SwitchWorkspaceResponse> {
  return async (request, call) => {
    const caller = requirePrincipal(call)
    const claims = { ...caller, workspaceId: request.workspaceId }
    const principal = await ctx.identity.principalToken(claims, caller.holder)
    await ctx.requireMember({ token: principal })
    return { principal }
  }
}
