import { amount } from '@family-inbox/service-kit/text/format-wait'
import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import { type Html, html } from '../shell/html.ts'
import { shortCalendarDay, weekdayName } from '../shell/moment.ts'
import { type CalendarDays, weekOf } from './month.ts'

/** The week of a day, for phones. A day leads to its appointments, or to the form for one if it has none. */
export function weekStrip(data: CalendarDays): Html {
  const { day, clock, hrefOf } = data
  return html`<nav class="week" aria-label="Week"><a class="quiet" href="${hrefOf(shiftDay(day, -7))}">Earlier</a><a class="quiet" href="${hrefOf(shiftDay(day, 7))}">Later</a>
<ol>${weekOf(day, clock).map((one) => dayLink(one, data))}</ol></nav>`
}

function dayLink(day: string, { day: chosen, today, byDay, clock, hrefOf, addHrefOf }: CalendarDays): Html {
  const count = byDay.get(day)?.length ?? 0
  const href = count === 0 ? addHrefOf?.(day) : hrefOf(day)
  const name = shortCalendarDay(day, clock)
  const label = count === 0 ? `Add on ${name}` : `${name}, ${amount(count, 'appointment')}`
  const shown = html`<span class="hint">${weekdayName(day, clock)}</span> <strong>${Number(day.slice(8))}</strong>${count > 0 && html`<span class="busy"></span>`}`
  const marks = html`${day === today && html` class="today"`}${day === chosen && html` aria-current="date"`}`
  return html`<li>${href ? html`<a href="${href}" aria-label="${label}"${marks}>${shown}</a>` : html`<span${marks}>${shown}</span>`}</li>`
}
