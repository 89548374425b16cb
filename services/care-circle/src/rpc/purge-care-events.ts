import type { PurgeCareEventsRequest, PurgeCareEventsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { purgeLink } from '../timeline/purge-link.ts'

/** For the chunk that began just before the deadline. */
const MARGIN_MS = 500

/** @throws StatusError UNAVAILABLE when there are too many for one call; the sweeper deletes the rest */
export function purgeCareEvents(ctx: Context): Handler<PurgeCareEventsRequest, PurgeCareEventsResponse> {
  return async (request, call) => {
    requireService(call, 'pipe')
    const linkId = requireLine('linkId', request.linkId, 200)
    return { eventsDeleted: await purgeLink(ctx, linkId, call.deadline - MARGIN_MS) }
  }
}
