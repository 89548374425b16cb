import { type Decision, type PostedEvent, Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import type { Envelope } from '../envelope/read-envelope.ts'
import type { Link } from '../models/link.ts'
import type { Partner } from '../models/partner.ts'

/** A posted event on its way through the checks. Each check that it passes adds what it found. */
export type Arrival = {
  posted: PostedEvent
  receivedAt: Date
  /** Set by the first check that refuses it, or in the end. */
  decision?: Decision
  partner?: Partner
  envelope?: Envelope
  link?: Link
}

export type Facts = Partial<Omit<Decision, 'verdict'>>

export function arrivalOf(posted: PostedEvent, receivedAt: Date): Arrival {
  return { posted, receivedAt }
}

export function decide(arrival: Arrival, verdict: Verdict, facts: Facts = {}): void {
  arrival.decision = { verdict, eventId: '', problem: '', retryAfterSec: 0, ...facts }
}

/** Those no check has refused so far. */
export function undecided(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.filter(({ decision }) => decision === undefined)
}

/** What was decided; an arrival that nothing was decided about met trouble on our side. */
export function decisionOf(arrival: Arrival): Decision {
  if (arrival.decision === undefined) decide(arrival, Verdict.TRY_AGAIN)
  return arrival.decision as Decision
}
