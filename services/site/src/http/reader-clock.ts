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
