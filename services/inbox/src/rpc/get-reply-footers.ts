import type { GetReplyFootersRequest, GetReplyFootersResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Lists the lines that end replies, by loved one. */
export function getReplyFooters(ctx: Context): Handler<GetReplyFootersRequest, GetReplyFootersResponse> {
  return async (_request, call) => {
    const { workspaceId } = await ctx.requireMember(call)
    return { footers: await ctx.replyFooters.find({ workspaceId }, { _id: 0, lovedOneId: 1, text: 1 }).lean() }
  }
}
