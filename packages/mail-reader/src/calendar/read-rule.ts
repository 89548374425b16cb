import { readTimeValue, type TimeValue } from './read-time-value.ts'

export const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** The nth of a weekday, counted from the end if negative; each of them if it is 0. Sunday is 0. */
export type WeekdayPart = { weekday: number; nth: number }

/** A recurrence rule (RFC 5545 section 3.3.10). Lists are in order, and empty if the rule does not have them. */
export type Rule = {
  frequency: Frequency
  interval: number
  count?: number
  until?: TimeValue
  /** On which a week begins; Sunday is 0. */
  weekStart: number
  byDay: WeekdayPart[]
} & Record<keyof typeof RANGES, number[]>

/** The limits of lists of numbers; negative ones count from the end. */
const RANGES = {
  bySecond: [0, 60],
  byMinute: [0, 59],
  byHour: [0, 23],
  byMonthDay: [-31, 31],
  byYearDay: [-366, 366],
  byWeekNo: [-53, 53],
  byMonth: [1, 12],
  bySetPos: [-366, 366],
} as const
const LISTS = Object.entries(RANGES).map(([field, range]) => ({ field, range, name: field.toUpperCase() }))
/** Lists that cannot have a 0. */
const WITHOUT_ZERO = /^BY(?:MONTHDAY|YEARDAY|WEEKNO|SETPOS)$/
const OTHERS = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYDAY', 'RSCALE', 'SKIP']
const KNOWN = new Set([...OTHERS, ...LISTS.map(({ name }) => name)])

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']
const NUMBERS = /^[+-]?\d{1,3}(?:,[+-]?\d{1,3})*$/
const COUNT = /^[1-9]\d{0,8}$/

/** Undefined if it cannot be read or does not say what it means: to guess would invent appointments. */
export function readRule(written: string): Rule | undefined {
  const parts = written.toUpperCase().replaceAll(/\s/g, '').split(';').filter(Boolean)
  const values = new Map<string, string>()
  for (const part of parts) {
    const [, name = '', value = ''] = /^([A-Z-]+)=(.+)$/.exec(part) ?? []
    if (name.startsWith('X-')) continue
    if (!KNOWN.has(name)) return undefined
    values.set(name, value)
  }
  try {
    const rule = toRule(values)
    return isAllowed(rule, values) ? rule : undefined
  } catch (error) {
    if (error instanceof UnreadablePart) return undefined
    throw error
  }
}

class UnreadablePart extends Error {}

function toRule(values: Map<string, string>): Rule {
  const count = values.get('COUNT')
  const until = values.get('UNTIL')
  const lists = LISTS.map(({ field, name, range }) => [field, numbers(name, range, values.get(name))])
  return {
    frequency: oneOf(FREQUENCIES, values.get('FREQ') ?? ''),
    interval: Math.max(1, Number(required(/^\d{1,9}$/.exec(values.get('INTERVAL') ?? '1')))),
    ...(count !== undefined && { count: Number(required(COUNT.exec(count))) }),
    ...(until !== undefined && { until: required(readTimeValue(until)) }),
    weekStart: WEEKDAYS.indexOf(oneOf(WEEKDAYS, values.get('WKST') ?? 'MO')),
    byDay: (values.get('BYDAY') ?? '').split(',').filter(Boolean).map(readWeekday),
    ...(Object.fromEntries(lists) as Record<keyof typeof RANGES, number[]>),
  }
}

/** Refuses what each program would read in a different way. */
function isAllowed({ frequency, byDay, byWeekNo, byMonthDay, byYearDay }: Rule, values: Map<string, string>): boolean {
  if ((values.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN' || (values.get('SKIP') ?? 'OMIT') !== 'OMIT') return false
  const nths = byDay.map(({ nth }) => Math.abs(nth))
  const most = { YEARLY: 53, MONTHLY: 5, WEEKLY: 5 }[frequency as string] ?? 0
  if (nths.some((nth) => nth > most)) return false
  if (byWeekNo.length > 0 && frequency !== 'YEARLY') return false
  if (byYearDay.length > 0 && ['MONTHLY', 'WEEKLY', 'DAILY'].includes(frequency)) return false
  return byMonthDay.length === 0 || frequency !== 'WEEKLY'
}

/** In a week, the nth of a weekday is each. */
function readWeekday(written: string): WeekdayPart {
  const [, nth = '', name = ''] = required(/^([+-]?\d{1,2})?([A-Z]{2})$/.exec(written))
  return { weekday: WEEKDAYS.indexOf(oneOf(WEEKDAYS, name)), nth: Number(nth) }
}

function numbers(name: string, [least, most]: readonly [number, number], written: string | undefined): number[] {
  if (written === undefined) return []
  if (!NUMBERS.test(written)) throw new UnreadablePart()
  const read = [...new Set(written.split(',').map(Number))].sort((a, b) => a - b)
  const isWrong = (one: number) => one < least || one > most || (one === 0 && WITHOUT_ZERO.test(name))
  if (read.some(isWrong)) throw new UnreadablePart()
  return read
}

function oneOf<Name extends string>(names: readonly Name[], written: string): Name {
  return required(names.find((name) => name === written))
}

function required<Found>(found: Found | null | undefined): Found {
  if (found === null || found === undefined) throw new UnreadablePart()
  return found
}
