import { memoizeHeader } from '@family-inbox/service-kit/http/memoize-header'

/** The reader's date format and time zone. The language is always English. */
export type ReaderClock = {
  locale: string
  /** An IANA time zone from our script's cookie; `UTC` until it is known. */
  timeZone: string
  now: Date
}

/** Day before month, 24 hours: the most common format. */
const FALLBACK = 'en-GB'

export function readClock(acceptLanguage: string | undefined, timeZone: string): ReaderClock {
  return {
    locale: acceptLanguage === undefined ? FALLBACK : readLocale(acceptLanguage),
    timeZone: readTimeZone(timeZone),
    now: new Date(),
  }
}

/** Returns an English locale with the date format of the reader's first language. */
const readLocale = memoizeHeader((header) => {
  const tags = header.split(',').map((part) => part.split(';')[0]?.trim() ?? '')
  const [first] = tags.filter((tag) => tag.toLowerCase() !== 'en' && isSupported(tag))
  if (first === undefined) return FALLBACK
  return /^en-[a-z]{2}$/i.test(first) ? first : toEnglishLocale(first)
})

function toEnglishLocale(locale: string): string {
  const parts = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric' }).formatToParts()
  const order = parts.filter(({ type }) => type === 'day' || type === 'month')
  const { hourCycle } = new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions()
  return `${order[0]?.type === 'day' ? 'en-GB' : 'en-US'}-u-hc-${hourCycle === 'h12' || hourCycle === 'h11' ? 'h12' : 'h23'}`
}

const readTimeZone = memoizeHeader((name) => {
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
