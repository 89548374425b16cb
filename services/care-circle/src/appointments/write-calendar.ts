import { DAY_MS } from '@family-inbox/service-kit/time/days'
import { PRODUCT } from '@family-inbox/workspace-kit/product'
import ICAL from 'ical.js'
import type { ToDo } from '../models/to-do.ts'
import type { Entry } from './to-wire-appointment.ts'

/** RFC 5545 section 3.1 allows 75 bytes, and the library does not count the space that begins a folded line. */
ICAL.foldLength = 74

type Calendar = {
  entries: Entry[]
  /** Those with a day are written. */
  toDos?: ToDo[]
  /** The names of loved ones, by id. */
  names: ReadonlyMap<string, string>
  withDetails: boolean
  inboxUrl: string
  /** For the events: those that do not fit are left out, the last ones first, to-dos last. */
  maxBytes?: number
}

/** How often programs should look again. */
const REFRESH = 'PT1H'
const MAX_CHARS = 300
const END = 'END:VCALENDAR'

/** Writes RFC 5545, with REFRESH-INTERVAL (RFC 7986). The same entries give the same bytes. */
export function writeCalendar(calendarOf: Calendar): string {
  const { entries, toDos = [], maxBytes = Number.POSITIVE_INFINITY, ...words } = calendarOf
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('prodid', `-//${PRODUCT}//Calendar//EN`)
  calendar.addPropertyWithValue('calscale', 'GREGORIAN')
  calendar.addPropertyWithValue('method', 'PUBLISH')
  const name = new ICAL.Property('name')
  name.setValue('Care appointments')
  calendar.addProperty(name)
  calendar.addPropertyWithValue('x-wr-calname', 'Care appointments')
  const refresh = new ICAL.Property('refresh-interval')
  refresh.resetType('duration')
  refresh.setValue(ICAL.Duration.fromString(REFRESH))
  calendar.addProperty(refresh)
  calendar.addPropertyWithValue('x-published-ttl', REFRESH)
  const head = calendar.toString().slice(0, -END.length)
  const dated = toDos.flatMap(({ day, ...toDo }) => (day === undefined ? [] : [{ ...toDo, day }]))
  const events = [
    ...dated.map((toDo) => () => toDoToEvent(toDo, words)),
    ...entries.map((entry) => () => toEvent(entry, words)),
  ]
  return `${head}${writeEvents(events, maxBytes)}${END}\r\n`
}

type Words = Omit<Calendar, 'entries' | 'toDos' | 'maxBytes'>

function writeEvents(toEvents: (() => ICAL.Component)[], maxBytes: number): string {
  let events = ''
  let bytes = 0
  for (const write of toEvents) {
    const event = `${write().toString()}\r\n`
    bytes += Buffer.byteLength(event)
    if (bytes > maxBytes) break
    events += event
  }
  return events
}

function toEvent(entry: Entry, words: Words): ICAL.Component {
  const { occurrence, createdAt, version } = entry
  const { key, startsAt, endsAt, kind, changedAt } = occurrence
  const event = new ICAL.Component('vevent')
  event.addPropertyWithValue('uid', `${entry._id}${key && `-${key}`}@${new URL(words.inboxUrl).hostname}`)
  event.addPropertyWithValue('dtstamp', toTime(changedAt ?? createdAt, 'moment'))
  event.addPropertyWithValue('sequence', version)
  event.addPropertyWithValue('dtstart', toTime(startsAt, kind))
  if (endsAt > startsAt) event.addPropertyWithValue('dtend', toTime(endsAt, kind))
  event.addPropertyWithValue('status', statusOf(occurrence))
  const name = words.names.get(entry.lovedOneId) ?? ''
  if (!words.withDetails) event.addPropertyWithValue('summary', `${marksOf(entry)}Appointment for ${name}`)
  else addDetails(event, entry, name, words.inboxUrl)
  return event
}

/** An open to-do with a day, as an entry of that whole day which leaves the day free. Many calendars show no VTODO. */
function toDoToEvent(toDo: ToDo & { day: string }, { names, withDetails, inboxUrl }: Words): ICAL.Component {
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

function statusOf({ canceled, tentative }: Entry['occurrence']): string {
  if (canceled) return 'CANCELLED'
  return tentative ? 'TENTATIVE' : 'CONFIRMED'
}

/** Calendars show only the title at a glance, so it says who is not verified. */
function marksOf({ occurrence, proof }: Entry): string {
  return `${occurrence.canceled ? 'Canceled: ' : ''}${proof === 'unverified' ? 'Not verified: ' : ''}`
}

function addDetails(event: ICAL.Component, entry: Entry, name: string, inboxUrl: string): void {
  const { title, place, key, link = '', note = '' } = entry.occurrence
  const shown = (title || 'Appointment').slice(0, MAX_CHARS).toWellFormed()
  event.addPropertyWithValue('summary', `${marksOf(entry)}${shown} (${name})`)
  if (place !== '') event.addPropertyWithValue('location', place.slice(0, MAX_CHARS).toWellFormed())
  const url = `${inboxUrl}/appointments/${entry._id}${key && `?occurrence=${key}`}`
  event.addPropertyWithValue('url', url)
  const from = senderOf(entry)
  // What others wrote, then our words, apart from it: a reader must see which are whose.
  const theirs = [link, note === link ? '' : note].filter((line) => line !== '').join('\n')
  const parts = [theirs, from && `${PRODUCT}: from ${from}\n${url}`].filter((part) => part !== '')
  if (parts.length > 0) event.addPropertyWithValue('description', parts.join('\n\n').toWellFormed())
}

/** The address, too: anyone may call themselves what they like. */
function senderOf({ senderName, senderAddress }: Entry): string {
  return senderName !== '' && senderAddress !== '' ? `${senderName} <${senderAddress}>` : senderName || senderAddress
}

function toTime(at: Date, kind: Entry['occurrence']['kind']): ICAL.Time {
  const time = ICAL.Time.fromJSDate(at, true)
  if (kind === 'day') time.isDate = true
  if (kind === 'local') time.zone = ICAL.Timezone.localTimezone
  return time
}
