import type { IngestEventsRequest, IngestEventsResponse } from '@family-inbox/proto/pipe/v1/pipe'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { acceptEvents } from '../ingest/accept-events.ts'
import { arrivalOf, decisionOf, undecided } from '../ingest/arrival.ts'
import { requireActive } from '../ingest/require-active.ts'
import { requireEnvelope } from '../ingest/require-envelope.ts'
import { requireFreshTimestamp } from '../ingest/require-fresh-timestamp.ts'
import { requireSharedLink } from '../ingest/require-shared-link.ts'
import { requireSignature } from '../ingest/require-signature.ts'
import { spendAllowance } from '../ingest/spend-allowance.ts'

/**
 * Decides about posted events, each for itself, those that arrived together in one round trip at each step. The order is
 * what a partner may learn: nothing about itself before its signature is good, nothing about subjects before its event is
 * well formed. The gateway has held the body to its size.
 */
export function ingestEvents(ctx: Context): Handler<IngestEventsRequest, IngestEventsResponse> {
  return async ({ events }, call) => {
    requireService(call, 'gateway')
    const receivedAt = new Date()
    const arrivals = events.map((posted) => arrivalOf(posted, receivedAt))
    requireFreshTimestamp(arrivals)
    await requireSignature(ctx, undecided(arrivals))
    requireActive(undecided(arrivals))
    await spendAllowance(ctx, undecided(arrivals))
    requireEnvelope(undecided(arrivals))
    await requireSharedLink(ctx, undecided(arrivals))
    await acceptEvents(ctx, undecided(arrivals))
    return { decisions: arrivals.map(decisionOf) }
  }
}
