import type {
  ListDeadEventsRequest,
  ListDeadEventsResponse,
  DeadEvent as WireDeadEvent,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { cutPage, newerThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { DeadEvent } from '../models/dead-event.ts'

/** Events that could not be put on a timeline after the last try, oldest first, without what is in them. For the operator. */
export function listDeadEvents(ctx: Context): Handler<ListDeadEventsRequest, ListDeadEventsResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const rows = await ctx.deadEvents
      .find({ $and: [{ diedAt: { $exists: true } }, newerThan('diedAt', request.pageToken)] }, { message: 0 })
      .sort({ diedAt: 1, _id: 1 })
      .limit(limit + 1)
      .lean<Dead[]>()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.diedAt)
    return { events: page.map(toWire), nextPageToken }
  }
}

type Dead = DeadEvent & { diedAt: Date }

function toWire({ _id, institutionId, eventType, receivedAt, diedAt, reason }: Dead): WireDeadEvent {
  return { eventId: _id, institutionId, eventType, receivedAt, diedAt, reason }
}
