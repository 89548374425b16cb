const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)$/
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?:\d\d)?)$/

/** Parses an ISO 8601 time with date, time and zone, extended or basic. Undefined for anything else, such as 30 February. */
export function readIsoTime(text: string): Date | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const offset = readOffset(match[8] ?? '')
  // Second 60 is a leap second; it becomes the first second of the next minute.
  if (hour > 23 || minute > 59 || second > 60 || offset === undefined) return undefined
  const local = new Date(Date.UTC(year, month - 1, day))
  local.setUTCFullYear(year)
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined
  const milliseconds = Number(`${match[7] ?? ''}000`.slice(0, 3))
  return new Date(local.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds)
}

function readOffset(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
