import { fromWallTime, toWallTime } from '@family-inbox/service-kit/time/time-zone'

const HOUR = 8
const MONDAY = 1

/** The next 8:00 in an IANA time zone, later than `after`. */
export function nextMorning(after: Date, timeZone: string): Date {
  const today = new Date(toWallTime(after, timeZone))
  for (let days = 0; ; days += 1) {
    const wall = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, HOUR)
    const morning = fromWallTime(wall, timeZone)
    if (morning > after) return morning
  }
}

/** The next Monday's 8:00 in an IANA time zone, later than `after`. */
export function nextMonday(after: Date, timeZone: string): Date {
  const morning = nextMorning(after, timeZone)
  return new Date(toWallTime(morning, timeZone)).getUTCDay() === MONDAY ? morning : nextMonday(morning, timeZone)
}
