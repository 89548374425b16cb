import type { BrowseMessagesRequest, BrowseMessagesResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { browse } from '../finding/browse.ts'

export function browseMessages(ctx: Context): Handler<BrowseMessagesRequest, BrowseMessagesResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    return browse(ctx, await ctx.requireMember(call, lovedOneId === '' ? {} : { lovedOneId }), request)
  }
}
