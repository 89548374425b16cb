import type { ListGrantsRequest, ListGrantsResponse } from '@family-inbox/proto/auth/v1/auth'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/page'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'

/** Lists the applications the caller has connected to their household and not disconnected, newest first. */
export function listGrants(ctx: Context): Handler<ListGrantsRequest, ListGrantsResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 100 })
    const live = { workspaceId, personId, revokedAt: null, expiresAt: { $gt: new Date() } }
    const rows = await ctx.grants
      .find(
        { ...live, ...olderThan('createdAt', request.pageToken) },
        { clientName: 1, scopes: 1, createdAt: 1, lastUsedAt: 1 },
      )
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.createdAt)
    const grants = page.map(({ _id, clientName, scopes, createdAt, lastUsedAt }) => ({
      id: _id,
      clientName,
      scopes,
      createdAt,
      lastUsedAt,
    }))
    return { grants, nextPageToken }
  }
}
