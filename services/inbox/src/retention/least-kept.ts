/**
 * The least time a mail, and the record that one was sent, is kept: longer than any server tries to deliver the same mail again
 * (RFC 5321 section 4.5.4.1), so that none is there twice.
 */
export const LEAST_KEPT_DAYS = 7

/** Whether records made at this time may have expired. */
export function mayHaveExpired(madeAt: Date): boolean {
  return madeAt < daysAgo(LEAST_KEPT_DAYS)
}

export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 24 * 60 * 60 * 1000)
}
