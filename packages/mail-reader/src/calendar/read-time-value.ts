import { DAY_MS } from '@family-inbox/service-kit/time/days'

/** A written day or time, as if in UTC, in milliseconds since 1970. */
export type TimeValue = {
  wall: number
  isDay: boolean
  /** It is that moment, not what clocks at some place show. */
  isUtc: boolean
}

const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:(?:[ \t]*T[ \t]*|[ \t]+)([01]\d|2[0-4]):?([0-5]\d)(?::?([0-5]\d|60))?(?:\.\d+)?)?[ \t]*(Z|[+-]\d\d:?\d\d)?$/i
/** Zero dates of programs are before; zones are defined from 1601 on. Protobuf timestamps and calendar programs end before 10000. */
const YEARS = { first: 1600, last: 8999 }

/**
 * Reads a day or a time (RFC 5545 sections 3.3.4 and 3.3.5); undefined if there is no such time. Reads also ISO 8601, with
 * separators, without seconds and with an offset.
 * @param isDay a midnight is a day
 */
export function readTimeValue(text: string, isDay = false): TimeValue | undefined {
  const found = TIME.exec(text.trim())
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => (part === undefined ? undefined : Number(part)))
  if (year < YEARS.first || year > YEARS.last) return undefined
  const midnight = Date.UTC(year, month - 1, day)
  if (new Date(midnight).getUTCMonth() !== month - 1 || new Date(midnight).getUTCDate() !== day) return undefined
  const clock = (hour * 3600 + minute * 60 + second) * 1000
  const [, , , , hours, , , zone] = found
  if (hours === undefined || (isDay && clock === 0 && zone === undefined))
    return { wall: midnight, isDay: true, isUtc: false }
  return { wall: midnight + clock - offsetOf(zone), isDay: false, isUtc: zone !== undefined }
}

/** Whether the time is a midnight, and so may name a day. */
export function isMidnight(wall: number): boolean {
  return wall % DAY_MS === 0
}

/** The midnight before it. */
export function dayOf(wall: number): number {
  return Math.floor(wall / DAY_MS) * DAY_MS
}

/** In milliseconds. */
function offsetOf(zone = 'Z'): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -60_000 : 60_000)
}
