import type { SelectWorkspaceRequest, SelectWorkspaceResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { principalOf, requireSession } from '../sign-in/active-session.ts'

export function selectWorkspace(ctx: Context): Handler<SelectWorkspaceRequest, SelectWorkspaceResponse> {
  return async (request, call) => {
    const holder = requireService(call, 'site')
    const session = await requireSession(ctx, request.session)
    const principal = await principalOf(ctx, { ...session, workspaceId: request.workspaceId }, holder)
    if (request.none) {
      // Every session of the person: the next sign-in looks at all of them.
      const { personId, workspaceId } = session
      await ctx.sessions.updateMany({ personId, workspaceId }, { workspaceId: '' })
      return { principal }
    }
    const { workspaceId } = await ctx.requireMember({ token: principal })
    await ctx.sessions.updateOne({ _id: session._id }, { workspaceId })
    return { principal }
  }
}
