const TIME =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:(?:[ \t]*T[ \t]*|[ \t]+)([01]\d|2[0-4]):?([0-5]\d)(?::?([0-5]\d|60))?(?:\.\d+)?)?[ \t]*(Z|[+-]\d\d:?\d\d)?$/i

/**
 * A day or a time as jCal writes it (RFC 7265 sections 3.6.4 and 3.6.5); undefined if there is no such time. Reads also ISO 8601, with
 * separators, without seconds and with an offset.
 * @param isDay a midnight is a day
 */
export function readTimeValue(text: string, isDay = false): string | undefined {
  const found = TIME.exec(text.trim())
  if (found === null) return undefined
  const [year, month, day, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map((part) => part && Number(part))
  const [, , , , hours, , , zone] = found
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const date = new Date(midnight).toISOString().slice(0, 10)
  if (date !== `${found[1]}-${found[2]}-${found[3]}`) return undefined
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  if (hours === undefined || (isDay && seconds === 0 && zone === undefined)) return date
  const time = new Date(midnight + (seconds - offsetOf(zone)) * 1000).toISOString().slice(0, 19)
  return zone === undefined ? time : `${time}Z`
}

/** In seconds. */
function offsetOf(zone = 'Z'): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60) * (sign === '-' ? -1 : 1)
}
