import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { type Arrival, decide } from './arrival.ts'

/** Refuses partners whose integration is not active. */
export function requireActive(arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) if (!arrival.partner?.active) decide(arrival, Verdict.INACTIVE)
}
