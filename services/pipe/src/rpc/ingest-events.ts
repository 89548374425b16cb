import type { IngestEventsRequest, IngestEventsResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { acceptEvents } from '../ingest/accept-events.ts'
import { arrivalOf, checkActive, decisionOf, limitArrivals, undecided } from '../ingest/arrival.ts'
import { checkEnvelope } from '../ingest/check-envelope.ts'
import { checkSharedLink } from '../ingest/check-shared-link.ts'
import { checkSignature } from '../ingest/check-signature.ts'
import { checkTimestamp } from '../ingest/check-timestamp.ts'

/** The order limits what a partner learns: nothing before its signature, nothing of subjects before a valid event. */
export function ingestEvents(ctx: Context): Handler<IngestEventsRequest, IngestEventsResponse> {
  return async ({ events }, call) => {
    requireService(call, 'gateway')
    const receivedAt = new Date()
    const arrivals = events.map((posted) => arrivalOf(posted, receivedAt))
    checkTimestamp(arrivals)
    await checkSignature(ctx, undecided(arrivals))
    checkActive(undecided(arrivals))
    await limitArrivals(ctx, undecided(arrivals))
    checkEnvelope(undecided(arrivals))
    await checkSharedLink(ctx, undecided(arrivals))
    await acceptEvents(ctx, undecided(arrivals))
    return { decisions: arrivals.map(decisionOf) }
  }
}
