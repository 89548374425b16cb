import type { GetSenderFilterRequest, GetSenderFilterResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Whose mail the workspace does not want to see. */
export function getSenderFilter(ctx: Context): Handler<GetSenderFilterRequest, GetSenderFilterResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    const { blocked = [], only = [] } = (await ctx.senderFilters.findById(workspaceId).lean()) ?? {}
    return {
      blocked: blocked.map(({ sender, byName, at }) => ({ sender, blockedBy: byName, blockedAt: at })),
      only,
    }
  }
}
