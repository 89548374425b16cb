import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import { type Html, html } from '../shell/html.ts'
import { monthName, noonOf, shortCalendarDay, weekdayLetter } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'

const MONTHS = 2
const WEEKS = [0, 1, 2, 3, 4, 5]
const WEEK = [0, 1, 2, 3, 4, 5, 6]

type MonthsData = {
  /** The calendar day, such as 2026-05-12. */
  today: string
  /** The days that the list beside it has. */
  busy: ReadonlySet<string>
  clock: ReaderClock
}

/** This month and the next one, for wide screens. Days with appointments lead to their place in the list. */
export function months(data: MonthsData): Html {
  const first = `${data.today.slice(0, 7)}-15`
  const shown = Array.from({ length: MONTHS }, (_, index) => shiftDay(first, index * 30).slice(0, 7))
  return html`<nav class="months" aria-label="Days with appointments">${shown.map((month) => monthTable(month, data))}</nav>`
}

function monthTable(month: string, data: MonthsData): Html {
  const { clock } = data
  const first = `${month}-01`
  const offset = (noonOf(first).getUTCDay() - firstWeekday(clock) + 7) % 7
  const dayAt = (week: number, weekday: number) => shiftDay(first, week * 7 + weekday - offset)
  const weeks = WEEKS.filter((week) => WEEK.some((weekday) => dayAt(week, weekday).startsWith(month)))
  return html`<table class="month"><caption>${monthName(noonOf(first), { ...clock, timeZone: 'UTC' })}</caption>
<thead><tr>${WEEK.map((weekday) => html`<th scope="col">${weekdayLetter(dayAt(1, weekday), clock)}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${WEEK.map((weekday) => dayCell(dayAt(week, weekday), month, data))}</tr>`)}</tbody></table>`
}

function dayCell(day: string, month: string, { today, busy, clock }: MonthsData): Html {
  if (!day.startsWith(month)) return html`<td></td>`
  const number = Number(day.slice(8))
  const shown = busy.has(day)
    ? html`<a href="#day-${day}" aria-label="${shortCalendarDay(day, clock)}">${number}</a>`
    : html`<span>${number}</span>`
  return html`<td${day === today && html` aria-current="date"`}>${shown}</td>`
}

/** Sunday is 0. */
function firstWeekday({ locale }: ReaderClock): number {
  return /^en-US/.test(locale) ? 0 : 1
}
