import { shiftDay } from '@family-inbox/service-kit/time/calendar-day'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, nameOfDay, weekdayName } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { TimelineEvent } from './event.ts'
import { isLateDose } from './sentence.ts'

const DAYS = 7
const MAX_MEDICINES = 10

type Cell = 'given' | 'late' | 'not reported'
export type MedicationWeek = { days: string[]; medicines: { name: string; cells: Cell[] }[] }

/**
 * Which medicine was reported on which day of the last seven. A day without a report says no more than that: nobody sends what was missed.
 * @param events newest first
 * @param hasOlder whether more events follow: then the day of the oldest one may not be whole
 */
export function medicationWeek(
  events: readonly TimelineEvent[],
  hasOlder: boolean,
  clock: ReaderClock,
): MedicationWeek {
  const today = calendarDay(clock.now, clock)
  const oldest = events.at(-1)?.occurredAt
  const days = Array.from({ length: DAYS }, (_, index) => shiftDay(today, index + 1 - DAYS)).filter(
    (day) => !hasOlder || (oldest !== undefined && day > calendarDay(oldest, clock)),
  )
  const byName = Map.groupBy(events, ({ details }) => (details?.kind === 'med_administered' ? details.name.trim() : ''))
  byName.delete('')
  const medicines = [...byName].map(([name, doses]) => ({ name, cells: days.map((day) => cellOf(doses, day, clock)) }))
  const shown = medicines.filter(({ cells }) => cells.some((cell) => cell !== 'not reported'))
  return { days, medicines: shown.slice(0, MAX_MEDICINES) }
}

function cellOf(doses: readonly TimelineEvent[], day: string, clock: ReaderClock): Cell {
  const ofDay = doses.filter(({ occurredAt }) => calendarDay(occurredAt, clock) === day)
  if (ofDay.length === 0) return 'not reported'
  return ofDay.some(isLateDose) ? 'late' : 'given'
}

const MARKS: Record<Cell, string> = { given: '✓', late: '!', 'not reported': '–' }

export function medicationTable({ days, medicines }: MedicationWeek, clock: ReaderClock): Html | undefined {
  if (medicines.length === 0) return undefined
  return html`<table class="med-week"><caption>Last ${days.length} days <span class="hint">✓ given, ! later than planned, – not reported</span></caption>
<thead><tr><th scope="col">Medicine</th>${days.map((day) => html`<th scope="col"><span aria-hidden="true">${weekdayName(day, clock)}</span><span class="unseen">${nameOfDay(day, clock)}</span></th>`)}</tr></thead>
<tbody>${medicines.map(({ name, cells }) => html`<tr><th scope="row"><bdi>${name}</bdi></th>${cells.map((cell) => html`<td class="${cell.replace(' ', '-')}"><span aria-hidden="true">${MARKS[cell]}</span><span class="unseen">${cell}</span></td>`)}</tr>`)}</tbody></table>`
}
