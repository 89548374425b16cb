import { fromWallTime, toWallTime } from '@family-inbox/service-kit/text/time-zone'

const HOUR = 8

/** The next 8:00 in an IANA time zone, later than `after`. */
export function nextMorning(after: Date, timeZone: string): Date {
  const today = new Date(toWallTime(after, timeZone))
  for (let days = 0; ; days += 1) {
    const wall = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, HOUR)
    const morning = fromWallTime(wall, timeZone)
    if (morning > after) return morning
  }
}
