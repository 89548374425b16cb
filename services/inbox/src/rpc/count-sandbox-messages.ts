import type { CountSandboxMessagesRequest, CountSandboxMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

export function countSandboxMessages(ctx: Context): Handler<CountSandboxMessagesRequest, CountSandboxMessagesResponse> {
  return async ({ workspaceIds }, call) => {
    requireService(call, 'sandbox')
    const rows = await ctx.messages.aggregate<{ _id: string; count: number }>([
      { $match: { workspaceId: { $in: workspaceIds } } },
      { $group: { _id: '$workspaceId', count: { $sum: 1 } } },
    ])
    const countOf = new Map(rows.map(({ _id, count }) => [_id, count]))
    return { counts: workspaceIds.map((id) => countOf.get(id) ?? 0) }
  }
}
