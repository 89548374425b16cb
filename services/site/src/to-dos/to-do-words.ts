import { type ToDo, ToDoStatus } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Html, html } from '../shell/html.ts'
import { calendarDay, nameOfDay, shortCalendarDay } from '../shell/moment.ts'
import type { ReaderClock } from '../shell/reader-clock.ts'
import type { ShownState } from '../shell/status-acts.ts'
import type { Workspace } from '../shell/workspace.ts'

export const TO_DOS_PATH = '/to-dos'

export function toDoPath({ id }: Pick<ToDo, 'id'>, form = ''): string {
  return `${TO_DOS_PATH}/${encodeURIComponent(id)}${form && `/${form}`}`
}

/** "Today", "By Tue 12 May"; a day that has passed is marked. */
export function dayWords(day: string, clock: ReaderClock): Html | string {
  if (day < calendarDay(clock.now, clock))
    return html`<span class="mark-word danger">Overdue</span> ${shortCalendarDay(day, clock)}`
  const name = nameOfDay(day, clock)
  return name === shortCalendarDay(day, clock) ? `By ${name}` : name
}

export function isDueToday({ day }: Pick<ToDo, 'day'>, clock: ReaderClock): boolean {
  return day !== '' && day <= calendarDay(clock.now, clock)
}

const STATUSES: Partial<Record<ToDoStatus, ShownState['status']>> = {
  [ToDoStatus.TAKEN]: 'taken',
  [ToDoStatus.DONE]: 'done',
}

/** With the names that the family has now. */
export function stateOf({ status, assigneeId, changedBy, changedAt }: ToDo, { nameOf }: Workspace): ShownState {
  return {
    status: STATUSES[status] ?? 'open',
    assigneeId,
    assigneeName: nameOf.get(assigneeId) ?? 'Former member',
    changedByName: changedBy && (nameOf.get(changedBy) ?? 'Former member'),
    changedAt,
  }
}
