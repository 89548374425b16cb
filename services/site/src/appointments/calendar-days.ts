import type { Appointment } from '@family-inbox/proto/carecircle/v1/care_circle'
import { amount } from '@family-inbox/service-kit/text/format-wait'
import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import { type Html, html } from '../shell/html.ts'
import { monthName, noonOf, shortCalendarDay, weekdayName } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import { appointmentPath, clockTimeOf, titleOf } from './appointment-words.ts'

/** More names than this make a week taller than a screen. */
const MOST_NAMES = 3
const WEEK = 7

export type CalendarDays = {
  /** The calendar day that is looked at, such as 2026-05-12. */
  day: string
  today: string
  byDay: ReadonlyMap<string, Appointment[]>
  clock: ReaderClock
  /** The calendar on another day. */
  hrefOf: (day: string) => string
  /** The form for an appointment on a day; undefined for readers who may not add one. */
  addHrefOf: ((day: string) => string) | undefined
}

/** The days of a month, in whole weeks. */
export function daysOfMonth(month: string, clock: ReaderClock): string[] {
  const first = weekOf(`${month}-01`, clock)[0] ?? ''
  const last = shiftDay(`${shiftDay(`${month}-28`, 7).slice(0, 7)}-01`, -1)
  const days: string[] = []
  for (let day = first; day <= last || days.length % WEEK !== 0; day = shiftDay(day, 1)) days.push(day)
  return days
}

/** The week with a day, from the reader's first weekday. */
export function weekOf(day: string, { locale }: ReaderClock): string[] {
  const firstWeekday = /^en-US/.test(locale) ? 0 : 1
  const offset = (noonOf(day).getUTCDay() - firstWeekday + WEEK) % WEEK
  return Array.from({ length: WEEK }, (_, index) => shiftDay(day, index - offset))
}

/** A month with the names of its appointments, for wide screens. A day's number leads to the form for that day. */
export function monthGrid(data: CalendarDays): Html {
  const { day, clock, hrefOf } = data
  const month = day.slice(0, 7)
  const days = daysOfMonth(month, clock)
  const weeks = Array.from({ length: days.length / WEEK }, (_, index) => days.slice(index * WEEK, (index + 1) * WEEK))
  const [earlier, later] = [-1, 31].map((shift) => `${shiftDay(`${month}-01`, shift).slice(0, 7)}-01`)
  return html`<table class="month"><caption><span class="month-nav"><strong>${nameOf(month, clock)}</strong>
<a href="${hrefOf(earlier ?? '')}">Earlier<span class="unseen">: ${nameOf(earlier ?? '', clock)}</span></a>
<a href="${hrefOf(later ?? '')}">Later<span class="unseen">: ${nameOf(later ?? '', clock)}</span></a></span></caption>
<thead><tr>${(weeks[0] ?? []).map((one) => html`<th scope="col">${weekdayName(one, clock)}</th>`)}</tr></thead>
<tbody>${weeks.map((week) => html`<tr>${week.map((one) => dayCell(one, data))}</tr>`)}</tbody></table>`
}

function nameOf(day: string, clock: ReaderClock): string {
  return monthName(noonOf(`${day.slice(0, 7)}-01`), { ...clock, timeZone: 'UTC' })
}

function dayCell(day: string, data: CalendarDays): Html {
  const { today, byDay, clock, hrefOf, addHrefOf } = data
  const ones = byDay.get(day) ?? []
  const [number, name] = [Number(day.slice(8)), shortCalendarDay(day, clock)]
  const head = addHrefOf
    ? html`<a class="number" href="${addHrefOf(day)}" aria-label="Add on ${name}">${number}</a>`
    : html`<span class="number">${number}</span>`
  const rest = ones.length - MOST_NAMES
  return html`<td${day === today && html` aria-current="date"`}${!day.startsWith(data.day.slice(0, 7)) && html` class="other"`}>${head}
${ones.slice(0, MOST_NAMES).map((one) => nameRow(one, clock))}
${rest > 0 && html`<a href="${hrefOf(day)}">and ${rest} more<span class="unseen"> on ${name}</span></a>`}</td>`
}

function nameRow(appointment: Appointment, clock: ReaderClock): Html {
  const { start, canceled } = appointment
  const title = html`<bdi>${titleOf(appointment)}</bdi>`
  return html`<a href="${appointmentPath(appointment)}">${start && html`<span class="hint">${clockTimeOf(start, clock)}</span> `}${canceled ? html`<s>${title}</s><span class="unseen"> (canceled)</span>` : title}</a>`
}

/** The week of a day, for phones. A day leads to its appointments, or to the form for one if it has none. */
export function weekStrip(data: CalendarDays): Html {
  const { day, clock, hrefOf } = data
  return html`<nav class="week" aria-label="Week"><a class="quiet" href="${hrefOf(shiftDay(day, -7))}">Earlier</a><a class="quiet" href="${hrefOf(shiftDay(day, 7))}">Later</a>
<ol>${weekOf(day, clock).map((one) => dayLink(one, data))}</ol></nav>`
}

function dayLink(day: string, { day: chosen, today, byDay, clock, hrefOf, addHrefOf }: CalendarDays): Html {
  const count = byDay.get(day)?.length ?? 0
  const href = count === 0 ? addHrefOf?.(day) : hrefOf(day)
  const shown = html`${href && count === 0 && html`<span class="unseen">Add on </span>`}<span class="hint">${weekdayName(day, clock)}</span> <strong>${Number(day.slice(8))}</strong>${count > 0 && html`<span class="busy"><span class="unseen">, ${amount(count, 'appointment')}</span></span>`}`
  const marks = html`${day === today && html` class="today"`}${day === chosen && html` aria-current="date"`}`
  return html`<li>${href ? html`<a href="${href}"${marks}>${shown}</a>` : html`<span${marks}>${shown}</span>`}</li>`
}
