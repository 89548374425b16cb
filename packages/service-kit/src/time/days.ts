export const DAY_MS = 86_400_000

/** The moment this many days of 24 hours before now. */
export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * DAY_MS)
}
