import type { ListCallsRequest, ListCallsResponse, RecordedCall } from '@family-inbox/proto/auth/v1/auth'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/page'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import type { RecordedCall as Row } from '../models/call.ts'

/** Lists recorded calls, newest first: every member sees their own agents' calls, refusals included, the owner everyone's. */
export function listCalls(ctx: Context): Handler<ListCallsRequest, ListCallsResponse> {
  return async (request, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call)
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const rows = await ctx.calls
      .find({ workspaceId, ...(role !== Role.OWNER && { personId }), ...olderThan('startedAt', request.pageToken) })
      .sort({ startedAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.startedAt)
    return { calls: page.map(toWire), nextPageToken }
  }
}

function toWire({ _id, ...row }: Row): RecordedCall {
  return { id: _id, ...row }
}
