import type { ListGrantsRequest, ListGrantsResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import { activeGrants, GRANT_FIELDS, toWireGrant } from '../wire.ts'

export function listGrants(ctx: Context): Handler<ListGrantsRequest, ListGrantsResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 100 })
    const rows = await ctx.grants
      .find({ ...activeGrants({ workspaceId, personId }), ...olderThan('createdAt', request.pageToken) }, GRANT_FIELDS)
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.createdAt)
    return { grants: page.map(toWireGrant), nextPageToken }
  }
}
