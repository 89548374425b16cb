import ICAL from 'ical.js'
import { readTimeValue } from './read-time-value.ts'

const NUMBERS = /^[+-]?\d{1,3}(?:,[+-]?\d{1,3})*$/
const COUNT = /^[1-9]\d{0,8}$/

/** What the parts of a rule may be; the library checks their ranges. */
const PARTS: Record<string, (value: string) => string | undefined> = {
  FREQ: (value) => value,
  UNTIL: (value) => readTimeValue(value)?.replaceAll(/[-:]/g, ''),
  COUNT: (value) => (COUNT.test(value) ? value : undefined),
  INTERVAL: (value) => (/^\d{1,9}$/.test(value) ? value : undefined),
  WKST: (value) => value,
  BYDAY: (value) => value,
  RSCALE: (value) => (value === 'GREGORIAN' ? value : undefined),
  SKIP: (value) => (value === 'OMIT' ? value : undefined),
}
for (const name of ['SECOND', 'MINUTE', 'HOUR', 'MONTHDAY', 'YEARDAY', 'WEEKNO', 'MONTH', 'SETPOS'])
  PARTS[`BY${name}`] = (value) => (NUMBERS.test(value) ? value : undefined)

/** Any start does: whether the library can expand a rule does not depend on it. */
const SOME_DAY = ICAL.Time.fromDateTimeString('2024-01-01T00:00:00')

/** A recurrence rule as jCal writes it (RFC 7265 section 3.6.10); undefined if it cannot be read or expanded as it is meant. */
export function readRule(written: string): unknown {
  const parts = written.toUpperCase().replaceAll(/\s/g, '').split(';').filter(Boolean).map(readPart)
  const read = parts.filter((part) => part !== undefined)
  if (read.length < parts.length || !isAllowed(new Map(read))) return undefined
  const text = read.map((part) => part.join('=')).join(';')
  try {
    const rule = ICAL.Recur.fromString(text)
    // With an end, so that the library does not look for a date through thousands of years.
    rule.until = SOME_DAY.clone()
    rule.iterator(SOME_DAY.clone())
    return (ICAL.parse.property(`RRULE:${text}`) as unknown as unknown[])[3]
  } catch {
    return undefined
  }
}

function readPart(part: string): [name: string, value: string] | undefined {
  const [, name = '', written = ''] = /^([A-Z-]+)=(.+)$/.exec(part) ?? []
  const value = name.startsWith('X-') ? written : PARTS[name]?.(written)
  return value === undefined ? undefined : [name, value]
}

/** Others are not in the standard (RFC 5545 section 3.3.10), and the library would look for the third Monday of a day forever. */
function isAllowed(rule: Map<string, string>): boolean {
  const frequency = rule.get('FREQ') ?? ''
  const isNumbered = /\d/.test(rule.get('BYDAY') ?? '')
  if (isNumbered && !['WEEKLY', 'MONTHLY', 'YEARLY'].includes(frequency)) return false
  return rule.has('FREQ') && (frequency === 'YEARLY' || !rule.has('BYWEEKNO'))
}
