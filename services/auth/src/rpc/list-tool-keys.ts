import type { ListToolKeysRequest, ListToolKeysResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { toWireToolKey } from '../wire.ts'

export function listToolKeys(ctx: Context): Handler<ListToolKeysRequest, ListToolKeysResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 100 })
    const keys = await ctx.toolKeys
      .find({ workspaceId, personId, ...olderThan('createdAt', request.pageToken) }, { hash: 0, calls: 0 })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(keys, limit, (key) => key.createdAt)
    return { keys: page.map(toWireToolKey), nextPageToken }
  }
}
