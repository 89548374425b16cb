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

/** The first English the browser names together with a region; the interface is English, whatever else it names. */
const readLocale = remember((header) => {
  const tags = header.split(',').map((part) => part.split(';')[0]?.trim() ?? '')
  return tags.find((tag) => /^en-[a-z]{2}$/i.test(tag) && isSupported(tag)) ?? FALLBACK
})

const readTimeZone = remember((name) => {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
})

function isSupported(tag: string): boolean {
  return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0
}
