import type { SwitchWorkspaceRequest, SwitchWorkspaceResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Answers with the caller's principal bound to another household of theirs (one household per credential). */
export function switchWorkspace(ctx: Context): Handler<SwitchWorkspaceRequest, SwitchWorkspaceResponse> {
  return async (request, call) => {
    const { kind: _, ...caller } = requirePrincipal(call)
    const principal = await ctx.identity.principalToken({ ...caller, workspaceId: request.workspaceId })
    await ctx.requireMember({ token: principal })
    return { principal }
  }
}
