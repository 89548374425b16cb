const HOUR = 8

/** The next 8:00 in an IANA time zone, later than `after`. */
export function nextMorning(after: Date, timeZone: string): Date {
  const clock = clockOf(timeZone)
  const today = new Date(wallTime(after, clock))
  for (let days = 0; ; days += 1) {
    const wall = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, HOUR)
    const morning = fromWallTime(wall, clock)
    if (morning > after) return morning
  }
}

export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return false
  try {
    return clockOf(name) !== undefined
  } catch {
    return false
  }
}

/** Corrected twice, since the offset may change in between. */
function fromWallTime(wall: number, clock: Intl.DateTimeFormat): Date {
  const guess = wall - (wallTime(new Date(wall), clock) - wall)
  return new Date(guess - (wallTime(new Date(guess), clock) - wall))
}

/** The local time as if it were UTC, in milliseconds since 1970. */
function wallTime(moment: Date, clock: Intl.DateTimeFormat): number {
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' })
}
