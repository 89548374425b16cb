import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { readIsoTime } from '@family-inbox/service-kit/iso-time'
import { type Arrival, decide } from './arrival.ts'

/** SPEC "Limits": how old a request may be; clocks of partners may be as much ahead. */
export const TOLERANCE_MS = 5 * 60_000

/** Refuses what was sent too long ago, or too far ahead of our clock, or does not say when. */
export function requireFreshTimestamp(arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) {
    const { posted, receivedAt } = arrival
    if (!isFresh(posted.timestamps, receivedAt)) decide(arrival, Verdict.STALE)
  }
}

/** @param given the values of the timestamp header, of which there must be one */
export function isFresh(given: readonly string[], now: Date): boolean {
  const sentAt = given.length === 1 ? readIsoTime(given[0] ?? '') : undefined
  return sentAt !== undefined && Math.abs(now.getTime() - sentAt.getTime()) <= TOLERANCE_MS
}
