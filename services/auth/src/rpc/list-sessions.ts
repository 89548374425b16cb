import type { ListSessionsRequest, ListSessionsResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'

export function listSessions(ctx: Context): Handler<ListSessionsRequest, ListSessionsResponse> {
  return async (request, call) => {
    const { personId } = requirePrincipal(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 100 })
    const live = { personId, revokedAt: null, expiresAt: { $gt: new Date() } }
    const rows = await ctx.sessions
      .find({ ...live, ...olderThan('createdAt', request.pageToken) }, { hash: 0, calls: 0 })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.createdAt)
    const sessions = page.map(({ _id, userAgent, createdAt, lastUsedAt }) => ({
      id: _id,
      userAgent,
      createdAt,
      lastUsedAt,
    }))
    return { sessions, nextPageToken }
  }
}
