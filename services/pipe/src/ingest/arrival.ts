import { type Decision, type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import type { Context } from '../context.ts'
import type { Envelope } from '../envelope/read-envelope.ts'
import type { Link } from '../models/link.ts'
import type { Partner } from '../models/partner.ts'

/** Each check adds what it found. */
export type Arrival = {
  posted: PostedEvent
  receivedAt: Date
  decision?: Decision
  partner?: Partner
  envelope?: Envelope
  link?: Link
}

type Details = Partial<Omit<Decision, 'verdict'>>

export function arrivalOf(posted: PostedEvent, receivedAt: Date): Arrival {
  return { posted, receivedAt }
}

export function decide(arrival: Arrival, verdict: Verdict, details: Details = {}): void {
  arrival.decision = { verdict, eventId: '', problem: '', retryAfterSec: 0, ...details }
}

export function undecided(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.filter(({ decision }) => decision === undefined)
}

/** An arrival without a decision failed on our side. */
export function decisionOf(arrival: Arrival): Decision {
  if (arrival.decision === undefined) decide(arrival, Verdict.TRY_AGAIN)
  return arrival.decision as Decision
}

export function checkActive(arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) if (!arrival.partner?.active) decide(arrival, Verdict.INACTIVE)
}

export async function limitArrivals(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  const byPartner = Map.groupBy(arrivals, ({ partner }) => partner?._id ?? '')
  await Promise.all(
    [...byPartner].map(async ([partnerId, own]) => {
      const { granted, retryAfterSec } = await ctx.takeEvents(partnerId, own.length)
      for (const arrival of own.slice(granted)) decide(arrival, Verdict.LIMITED, { retryAfterSec })
    }),
  )
}
