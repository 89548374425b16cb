import type {
  ListDeadLettersRequest,
  ListDeadLettersResponse,
  DeadLetter as WireDeadLetter,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { cutPage, newerThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { DeadLetter } from '../models/dead-letter.ts'

/** Without content, for the operator. */
export function listDeadLetters(ctx: Context): Handler<ListDeadLettersRequest, ListDeadLettersResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const rows = await ctx.deadLetters
      .find({ $and: [{ deadAt: { $exists: true } }, newerThan('deadAt', request.pageToken)] }, { message: 0 })
      .sort({ deadAt: 1, _id: 1 })
      .limit(limit + 1)
      .lean<Dead[]>()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.deadAt)
    return { events: page.map(toWireDeadLetter), nextPageToken }
  }
}

type Dead = DeadLetter & { deadAt: Date }

function toWireDeadLetter({ _id, institutionId, eventType, receivedAt, deadAt, reason }: Dead): WireDeadLetter {
  return { eventId: _id, institutionId, eventType, receivedAt, diedAt: deadAt, reason }
}
