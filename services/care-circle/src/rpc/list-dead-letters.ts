import type {
  ListDeadLettersRequest,
  ListDeadLettersResponse,
  DeadLetter as WireDeadLetter,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { cutPage, newerThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import type { Context } from '../context.ts'
import type { DeadLetter } from '../models/dead-letter.ts'

/** Lists dead letters, oldest first, without content. For the operator. */
export function listDeadLetters(ctx: Context): Handler<ListDeadLettersRequest, ListDeadLettersResponse> {
  return async (request, call) => {
    requireService(call, 'ops')
    const limit = readPageSize(request.pageSize, { byDefault: 50, max: 200 })
    const rows = await ctx.deadLetters
      .find({ $and: [{ diedAt: { $exists: true } }, newerThan('diedAt', request.pageToken)] }, { message: 0 })
      .sort({ diedAt: 1, _id: 1 })
      .limit(limit + 1)
      .lean<Dead[]>()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => row.diedAt)
    return { events: page.map(toWire), nextPageToken }
  }
}

type Dead = DeadLetter & { diedAt: Date }

function toWire({ _id, institutionId, eventType, receivedAt, diedAt, reason }: Dead): WireDeadLetter {
  return { eventId: _id, institutionId, eventType, receivedAt, diedAt, reason }
}
