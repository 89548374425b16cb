import { DAY_MS } from './days.ts'

export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return false
  try {
    return formatIn(name) !== undefined
  } catch {
    return false
  }
}

/** The time on clocks in an IANA time zone, as if it were UTC, in milliseconds since 1970. */
export function toWallTime(moment: Date, timeZone: string): number {
  const parts = formatIn(timeZone).formatToParts(moment)
  const shown = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * When clocks in a time zone show `wall`. When they show it twice, the first time; when they skip it, as much later as
 * they skip (RFC 5545 section 3.3.5).
 */
export function fromWallTime(wall: number, timeZone: string): Date {
  const [before = 0, after = 0] = [-DAY_MS, DAY_MS].map(
    (days) => toWallTime(new Date(wall + days), timeZone) - wall - days,
  )
  const moments = [wall - before, wall - after]
  const shown = moments.find((moment) => toWallTime(new Date(moment), timeZone) === wall)
  return new Date(shown ?? wall - before)
}

const MAX_FORMATS = 100
/** Creating one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  if (formats.size >= MAX_FORMATS) formats.clear()
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  formats.set(timeZone, format)
  return format
}
