export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
export const DAY_SEC = DAY_MS / 1000

/** The moment this many days of 24 hours before now. */
export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS)
}
