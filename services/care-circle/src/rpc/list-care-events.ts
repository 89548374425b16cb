import type { ListCareEventsRequest, ListCareEventsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/page'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** One loved one's care events, newest first. While no agency is linked the timeline is empty and the pipe not available. */
export function listCareEvents(ctx: Context): Handler<ListCareEventsRequest, ListCareEventsResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId } = await requireMember(ctx, call, { lovedOneId })
    const limit = readPageSize(request.pageSize, { byDefault: 20, max: 50 })
    const rows = await ctx.careEvents
      .find({ workspaceId, lovedOneId, ...olderThan('occurredAt', request.pageToken) })
      .sort({ occurredAt: -1, _id: -1 })
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.occurredAt)
    const events = page.map(({ _id, eventType, occurredAt, receivedAt }) => ({
      id: _id,
      eventType,
      occurredAt,
      receivedAt,
    }))
    return { events, nextPageToken, pipeAvailable: false }
  }
}
