import { amount } from '@family-inbox/service-kit/text/format-wait'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { LRUCache } from 'lru-cache'
import { type Html, html } from './html.ts'
import type { ReaderClock } from './reader-clock.ts'

const STYLES = {
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  dayAndMonth: { day: 'numeric', month: 'long' },
  dayAndYear: { day: 'numeric', month: 'short', year: 'numeric' },
  date: { dateStyle: 'long' },
  month: { month: 'long', year: 'numeric' },
  weekday: { weekday: 'short' },
  digits: { year: 'numeric', month: '2-digit', day: '2-digit' },
  time: { timeStyle: 'short' },
  full: { dateStyle: 'full', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** Creating one takes longer than rendering a page. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 })

/** Renders a day, "Tue 12 May", with the full time as its title. */
export function dayOf(moment: Date, clock: ReaderClock): Html {
  return time(moment, clock, shortDay(moment, clock))
}

/** Renders a day with its year, "3 May 2026", for what is printed. */
export function dateOf(moment: Date, clock: ReaderClock): Html {
  return time(moment, clock, format(clock, 'date').format(moment))
}

export function momentOf(moment: Date, clock: ReaderClock): Html {
  return html`<time datetime="${moment.toISOString()}">${fullMoment(moment, clock)}</time>`
}

/** Renders a time relative to today: "today 14:05", "yesterday 14:05", "Tue 12 May, 14:05". */
export function whenOf(moment: Date, clock: ReaderClock): Html {
  return time(
    moment,
    clock,
    `${relativeDay(moment, clock) ?? `${shortDay(moment, clock)},`} ${clockTime(moment, clock)}`,
  )
}

/** Formats a time without a zone, such as `14:05`, as the reader writes times: "2:05 PM". */
export function wallTime(time: string, { locale, now }: ReaderClock): string {
  const at = Date.parse(`2000-01-01T${time.slice(0, 5)}:00Z`)
  return Number.isNaN(at) ? time : format({ locale, timeZone: 'UTC', now }, 'time').format(at)
}

/** Renders a time of day: "14:05". */
export function timeOf(moment: Date, clock: ReaderClock): Html {
  return time(moment, clock, clockTime(moment, clock))
}

export function relativeDay(moment: Date, clock: ReaderClock): 'today' | 'yesterday' | undefined {
  const days = daysBetween(moment, clock.now, clock)
  if (days === 0) return 'today'
  return days === 1 ? 'yesterday' : undefined
}

/** Counts the midnights between two moments in the reader's time zone. */
export function daysBetween(earlier: Date, later: Date, clock: ReaderClock): number {
  return (dayNumber(later, clock) - dayNumber(earlier, clock)) / DAY_MS
}

/** Formats a day, "Tue 12 May", with the year if it is not the current one. */
export function shortDay(moment: Date, clock: ReaderClock): string {
  const isThisYear = calendarDay(moment, clock).slice(0, 4) === calendarDay(clock.now, clock).slice(0, 4)
  return format(clock, isThisYear ? 'day' : 'dayAndYear')
    .format(moment)
    .replace(/^(\p{L}+), /u, '$1 ')
}

/** Formats calendar days such as `2026-05-03`: "between 3 and 5 May". */
export function betweenDays(firstDay: string, lastDay: string, clock: ReaderClock): string {
  const parts = format({ ...clock, timeZone: 'UTC' }, 'dayAndMonth').formatRangeToParts(
    noonOf(firstDay),
    noonOf(lastDay),
  )
  const words = parts.map(({ value }) => (/[–-]/.test(value) ? ' and ' : value)).join('')
  return `between ${words.replaceAll(/\s+/g, ' ')}`
}

/** Formats a calendar day: "Today", "Tomorrow", "Yesterday", "Tue 12 May". */
export function nameOfDay(day: string, clock: ReaderClock): string {
  const days = (noonOf(calendarDay(clock.now, clock)).getTime() - noonOf(day).getTime()) / DAY_MS
  const near: Record<number, string> = { [-1]: 'Tomorrow', 0: 'Today', 1: 'Yesterday' }
  return near[days] ?? shortCalendarDay(day, clock)
}

export function shortCalendarDay(day: string, clock: ReaderClock): string {
  return shortDay(noonOf(day), { ...clock, timeZone: 'UTC' })
}

export function monthName(moment: Date, clock: ReaderClock): string {
  return format(clock, 'month').format(moment)
}

/** Formats a calendar day's weekday, "Tue", for the head of a month. */
export function weekdayName(day: string, clock: ReaderClock): string {
  return format({ ...clock, timeZone: 'UTC' }, 'weekday').format(noonOf(day))
}

/** Returns the calendar day in the reader's time zone, `2026-05-12`. */
export function calendarDay(moment: Date, clock: ReaderClock): string {
  return format({ ...clock, locale: 'en-CA' }, 'digits').format(moment)
}

/** Formats as "45 minutes", "1 hour 10 minutes", or "3 days". */
export function minutesInWords(minutes: number): string {
  const whole = Math.max(0, Math.round(minutes))
  if (whole < 60) return amount(whole, 'minute')
  const hours = Math.floor(whole / 60)
  if (hours >= 48) return amount(Math.round(hours / 24), 'day')
  const rest = whole % 60
  return rest === 0 ? amount(hours, 'hour') : `${amount(hours, 'hour')} ${amount(rest, 'minute')}`
}

function format({ locale, timeZone }: ReaderClock, style: keyof typeof STYLES): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${style}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(locale, { ...STYLES[style], timeZone })
  formats.set(key, made)
  return made
}

function time(moment: Date, clock: ReaderClock, words: string): Html {
  return html`<time datetime="${moment.toISOString()}" title="${fullMoment(moment, clock)}">${words}</time>`
}

function fullMoment(moment: Date, clock: ReaderClock): string {
  return `${format(clock, 'full').format(moment)}${clock.timeZone === 'UTC' ? ' UTC' : ''}`
}

/** UTC is named only while the reader's time zone is unknown. */
function clockTime(moment: Date, clock: ReaderClock): string {
  return `${format(clock, 'time').format(moment)}${clock.timeZone === 'UTC' ? ' UTC' : ''}`
}

function dayNumber(moment: Date, clock: ReaderClock): number {
  return Date.parse(`${calendarDay(moment, clock)}T00:00:00Z`)
}

export function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}
