import type { ListCareEventsRequest, ListCareEventsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { cutPage, olderThan, readPageSize } from '@family-inbox/service-kit/rpc/page'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { BY_TIME, BY_TYPE } from '../models/care-event.ts'
import { requireMember } from '../require-member.ts'
import { toWireEvent } from '../timeline/to-wire.ts'

const MAX_TYPES = 20
const ORDER = ['occurredAt', 'receivedAt'] as const

/** @throws StatusError UNAVAILABLE while sharing is unknown, rather than a wrong list */
export function listCareEvents(ctx: Context): Handler<ListCareEventsRequest, ListCareEventsResponse> {
  return async (request, call) => {
    const { lovedOneId } = request
    const { workspaceId } = requirePrincipal(call)
    const sharing = ctx.pipe.listSharedLinks({ workspaceId, lovedOneId }, { deadline: call.deadline })
    // Awaited later: a non-member must be refused even while the pipe is down.
    sharing.catch(() => {})
    await requireMember(ctx, call, { lovedOneId })
    const wanted = readFilter(request)
    const limit = readPageSize(request.pageSize, { byDefault: 20, max: 50 })
    const { links } = await sharing
    if (links.length === 0) return { events: [], nextPageToken: '', pipeAvailable: false }
    const rows = await ctx.careEvents
      .find({ linkId: { $in: links.map(({ linkId }) => linkId) }, workspaceId, lovedOneId, ...wanted })
      .sort({ occurredAt: -1, receivedAt: -1, _id: -1 })
      // Without a hint MongoDB may reuse the plan of a frequent type for a rare one.
      .hint(request.eventTypes.length > 0 ? BY_TYPE : BY_TIME)
      .limit(limit + 1)
      .lean()
    const { page, nextPageToken } = cutPage(rows, limit, (row) => ORDER.map((field) => row[field]))
    return { events: page.map((row) => toWireEvent(row, links)), nextPageToken, pipeAvailable: true }
  }
}

function readFilter({ since, until, eventTypes, pageToken }: ListCareEventsRequest): Record<string, unknown> {
  if (eventTypes.length > MAX_TYPES) throw invalidArgument('types', `types must name at most ${MAX_TYPES} types.`)
  if (since && until && since >= until) throw invalidArgument('until', 'until must be later than since.')
  const bounds = { ...(since && { $gte: since }), ...(until && { $lt: until }) }
  return {
    ...(eventTypes.length > 0 && { eventType: { $in: eventTypes } }),
    $and: [since || until ? { occurredAt: bounds } : {}, olderThan(ORDER, pageToken)],
  }
}
