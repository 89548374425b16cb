export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return false
  try {
    return formatIn(name) !== undefined
  } catch {
    return false
  }
}

/** What clocks in an IANA time zone show, as if it were UTC, in milliseconds since 1970. */
export function toWallTime(moment: Date, timeZone: string): number {
  const parts = formatIn(timeZone).formatToParts(moment)
  const shown = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** When clocks in a time zone show `wall`. The first guess may be on the other side of a clock change. */
export function fromWallTime(wall: number, timeZone: string): Date {
  const guess = wall - (toWallTime(new Date(wall), timeZone) - wall)
  return new Date(guess - (toWallTime(new Date(guess), timeZone) - wall))
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' })
}
