import { LRUCache } from 'lru-cache'
import { type Html, html } from './html.ts'
import type { ReaderClock } from './reader-clock.ts'

/** A day in words, "Tue 12 May", with the full time for those who point at it. */
export function dayOf(moment: Date, clock: ReaderClock): Html {
  return time(moment, clock, shortDay(moment, clock))
}

/** A day and a time in words, for a page that is read within days. */
export function momentOf(moment: Date, clock: ReaderClock): Html {
  return html`<time datetime="${moment.toISOString()}">${fullMoment(moment, clock)}</time>`
}

/** When something was, as short as it can be told: "today 14:05", "yesterday 14:05", "Tue 12 May, 14:05". */
export function whenOf(moment: Date, clock: ReaderClock): Html {
  return time(
    moment,
    clock,
    `${relativeDay(moment, clock) ?? `${shortDay(moment, clock)},`} ${clockTime(moment, clock)}`,
  )
}

/** The time of a day that is said elsewhere: "14:05". */
export function timeOf(moment: Date, clock: ReaderClock): Html {
  return time(moment, clock, clockTime(moment, clock))
}

/** "today", "yesterday"; undefined for days before. */
export function relativeDay(moment: Date, clock: ReaderClock): 'today' | 'yesterday' | undefined {
  const days = daysBetween(moment, clock.now, clock)
  if (days === 0) return 'today'
  return days === 1 ? 'yesterday' : undefined
}

/** How many midnights of the reader lie between two moments. */
export function daysBetween(earlier: Date, later: Date, clock: ReaderClock): number {
  return (dayNumber(later, clock) - dayNumber(earlier, clock)) / DAY_MS
}

/** A day in plain words, "Tue 12 May", with the year when it is not this one. */
export function shortDay(moment: Date, clock: ReaderClock): string {
  const isThisYear = calendarDay(moment, clock).slice(0, 4) === calendarDay(clock.now, clock).slice(0, 4)
  return format(clock, isThisYear ? 'day' : 'dayAndYear')
    .format(moment)
    .replace(/^(\p{L}+), /u, '$1 ')
}

/**
 * Some days in a row in plain words, "between 3 and 5 May".
 * @param firstDay a calendar day, such as `2026-05-03`
 */
export function betweenDays(firstDay: string, lastDay: string, clock: ReaderClock): string {
  const parts = format({ ...clock, timeZone: 'UTC' }, 'dayAndMonth').formatRangeToParts(
    noonOf(firstDay),
    noonOf(lastDay),
  )
  const words = parts.map(({ value }) => (/[–-]/.test(value) ? ' and ' : value)).join('')
  return `between ${words.replaceAll(/\s+/g, ' ')}`
}

/** A calendar day in plain words: "Today", "Yesterday", "Tue 12 May". */
export function nameOfDay(day: string, clock: ReaderClock): string {
  const days = (noonOf(calendarDay(clock.now, clock)).getTime() - noonOf(day).getTime()) / DAY_MS
  if (days === 0) return 'Today'
  return days === 1 ? 'Yesterday' : shortCalendarDay(day, clock)
}

/** A calendar day in plain words, whichever it is: "Tue 12 May". */
export function shortCalendarDay(day: string, clock: ReaderClock): string {
  return shortDay(noonOf(day), { ...clock, timeZone: 'UTC' })
}

/** A month in plain words, "May 2026". */
export function monthName(moment: Date, clock: ReaderClock): string {
  return format(clock, 'month').format(moment)
}

/** The reader's calendar day, `2026-05-12`. */
export function calendarDay(moment: Date, clock: ReaderClock): string {
  return format({ ...clock, locale: 'en-CA' }, 'digits').format(moment)
}

/** A stretch of time as people say it: "1 minute", "2 hours". Rounded up, so that waiting it out is enough. */
export function durationOf(seconds: number): string {
  if (seconds <= 90) return amount(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 90 * 60) return amount(Math.ceil(seconds / 60), 'minute')
  return amount(Math.ceil(seconds / 3600), 'hour')
}

const DAY_MS = 86_400_000

const STYLES = {
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  dayAndMonth: { day: 'numeric', month: 'long' },
  dayAndYear: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'long', year: 'numeric' },
  digits: { year: 'numeric', month: '2-digit', day: '2-digit' },
  time: { timeStyle: 'short' },
  full: { dateStyle: 'full', timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** Making one takes longer than drawing a page. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 })

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

/** While the reader's time zone is not known, the time says which it is. */
function clockTime(moment: Date, clock: ReaderClock): string {
  return `${format(clock, 'time').format(moment)}${clock.timeZone === 'UTC' ? ' UTC' : ''}`
}

function dayNumber(moment: Date, clock: ReaderClock): number {
  return Date.parse(`${calendarDay(moment, clock)}T00:00:00Z`)
}

/** Noon of a calendar day, which is that day in UTC. */
function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00Z`)
}

function amount(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
