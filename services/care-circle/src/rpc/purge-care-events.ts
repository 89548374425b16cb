import type { PurgeCareEventsRequest, PurgeCareEventsResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { requireLine } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import { purgeLink } from '../timeline/purge-link.ts'

/** Room for the chunk that began just before it. */
const MARGIN_MS = 500

/**
 * Deletes all events that came through a link, on timelines and among the dead, and says how many there were. The same again
 * answers the same. When there are too many for one call it is UNAVAILABLE, and the rest is deleted all the same.
 */
export function purgeCareEvents(ctx: Context): Handler<PurgeCareEventsRequest, PurgeCareEventsResponse> {
  return async (request, call) => {
    requireService(call, 'pipe')
    const linkId = requireLine('linkId', request.linkId, 200)
    return { eventsDeleted: await purgeLink(ctx, linkId, call.deadline - MARGIN_MS) }
  }
}
