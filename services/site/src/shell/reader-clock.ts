import { remember } from './remember.ts'

/** How the reader's days and times are told: the words are English, the order of day and month and the hours are theirs. */
export type ReaderClock = {
  /** An English locale, such as `en-GB` or `en-US`. */
  locale: string
  /** An IANA time zone, `UTC` while it is not known; our script tells it in a cookie. */
  timeZone: string
  now: Date
}

/** What most of the world writes: the day before the month, and 24 hours. */
const FALLBACK = 'en-GB'

/** Reads the reader's habits from what the browser sends. Anything that is no locale or time zone is as good as nothing. */
export function readClock(acceptLanguage: string | undefined, timeZone: string): ReaderClock {
  return {
    locale: acceptLanguage === undefined ? FALLBACK : readLocale(acceptLanguage),
    timeZone: readTimeZone(timeZone),
    now: new Date(),
  }
}

/** An English locale with the habits of the language that is named first; browsers name the one people use first. */
const readLocale = remember((header) => {
  const tags = header.split(',').map((part) => part.split(';')[0]?.trim() ?? '')
  const [first] = tags.filter((tag) => tag.toLowerCase() !== 'en' && isSupported(tag))
  if (first === undefined) return FALLBACK
  return /^en-[a-z]{2}$/i.test(first) ? first : habitsOf(first)
})

/** Whether people put the day before the month there, and count the hours to 12 or to 24. */
function habitsOf(locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric' }).formatToParts()
  const order = parts.filter(({ type }) => type === 'day' || type === 'month')
  const { hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions()
  return `${order[0]?.type === 'day' ? 'en-GB' : 'en-US'}-u-hc-${hourCycle === 'h12' || hourCycle === 'h11' ? 'h12' : 'h23'}`
}

const readTimeZone = remember((name) => {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
})

function isSupported(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}

/**
 * The moment a calendar day begins for the reader.
 * @param day as date fields write it, `2026-05-12`
 * @returns undefined for anything that is no day
 */
export function startOfDay(day: string, { timeZone }: ReaderClock): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const asUtc = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(day)) return undefined
  // The offset is looked up twice, since the first guess may lie beyond a change of the clocks.
  const guess = asUtc - offsetAt(asUtc, timeZone)
  return new Date(asUtc - offsetAt(guess, timeZone))
}

/** The day after, in the same form; days are counted in the calendar, where each follows the other. */
export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
}

/** How far the time zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const shown = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'))
  return shown - Math.floor(moment / 1000) * 1000
}
