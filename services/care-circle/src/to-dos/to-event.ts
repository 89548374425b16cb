import { DAY_MS } from '@family-inbox/service-kit/time/days'
import ICAL from 'ical.js'
import type { ToDo } from '../models/to-do.ts'

type Words = {
  /** The names of loved ones, by id. */
  names: ReadonlyMap<string, string>
  withDetails: boolean
  inboxUrl: string
}

/** An open to-do with a day, as an entry of that whole day which leaves the day free. Many calendars show no VTODO. */
export function toDoToEvent(toDo: ToDo & { day: string }, { names, withDetails, inboxUrl }: Words): ICAL.Component {
  const { _id, lovedOneId, text, day, createdAt, editedAt = createdAt, version } = toDo
  const event = new ICAL.Component('vevent')
  event.addPropertyWithValue('uid', `${_id}@${new URL(inboxUrl).hostname}`)
  event.addPropertyWithValue('dtstamp', ICAL.Time.fromJSDate(editedAt, true))
  event.addPropertyWithValue('sequence', version)
  event.addPropertyWithValue('dtstart', ICAL.Time.fromDateString(day))
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS)
  event.addPropertyWithValue('dtend', ICAL.Time.fromDateString(next.toISOString().slice(0, 10)))
  event.addPropertyWithValue('status', 'CONFIRMED')
  event.addPropertyWithValue('transp', 'TRANSPARENT')
  const name = names.get(lovedOneId)
  if (!withDetails) event.addPropertyWithValue('summary', name ? `To-do for ${name}` : 'To-do')
  else {
    event.addPropertyWithValue('summary', `To do: ${text.toWellFormed()}${name ? ` (${name})` : ''}`)
    event.addPropertyWithValue('url', `${inboxUrl}/to-dos/${_id}`)
  }
  return event
}
