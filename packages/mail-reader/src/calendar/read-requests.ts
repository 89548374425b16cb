import { createHash } from 'node:crypto'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { requireEmail } from '@family-inbox/service-kit/text/text-rules'
import { toLocalTime } from '@family-inbox/workspace-kit/calendar-changes'
import ICAL from 'ical.js'
import type { Mailbox } from '../mime/message-fields.ts'
import type { EventTime, TimeKind } from './event-times.ts'
import type { CalendarFile, ParsedEvent } from './parse-calendar.ts'
import { type EventDetails, MAX_EVENTS, readDetails } from './read-calendar.ts'

/** One version of an event to which its organizer invites somebody by address. */
export type CalendarRequest = {
  /** The same in every copy of it. */
  id: string
  uid: string
  /** The original start, if it is about one of a series. */
  recurrenceId?: Date
  /** Of the original start, if it is about one of a series; else of its own. */
  kind: TimeKind
  sequence: number
  title: string
  start: { at?: Date; local: string }
  /** When it starts, in English, as clocks at the organizer's place show it; empty for a series. */
  startWords: string
  organizer: Mailbox
  /** In the order of the file, without the organizer. */
  attendees: Mailbox[]
  /** Absent for a series that may have no end. */
  endsAt?: Date
}

const DAY_MS = 86_400_000
const MAX_ATTENDEES = 50
const MAX_NAME_CHARS = 200
const MAX_ZONE_CHARS = 60

/** The events that a calendar file asks somebody to answer (RFC 5546 section 3.2.2). */
export function readRequests({ events }: CalendarFile, now: Date): CalendarRequest[] {
  return events
    .filter(({ method, canceled }) => method === 'REQUEST' && !canceled)
    .slice(0, MAX_EVENTS)
    .flatMap((event) => readRequest(event, now) ?? [])
}

function readRequest(parsed: ParsedEvent, now: Date): CalendarRequest | undefined {
  const { component, start, seriesStart = start } = parsed
  const event = readDetails(parsed, now)
  const organizer = mailboxOf(component.getFirstProperty('organizer'))
  if (start === undefined || seriesStart === undefined || organizer === undefined) return undefined
  const { uid, recurrenceId, sequence, title, recurring } = event
  // An answer must repeat it exactly, and a missing one was made up.
  if (uid !== component.getFirstPropertyValue('uid')) return undefined
  const attendees = attendeesOf(component).filter(({ address }) => address !== organizer.address)
  if (attendees.length === 0) return undefined
  const name = JSON.stringify([uid, recurrenceId?.getTime() ?? null, sequence, organizer.address])
  return {
    id: createHash('sha256').update(name).digest('hex').slice(0, 32),
    uid,
    ...(recurrenceId && { recurrenceId }),
    kind: recurrenceId ? seriesStart.kind : start.kind,
    sequence,
    title,
    start: toWire(start),
    startWords: recurring ? '' : wordsOf(start, component),
    organizer,
    attendees,
    ...endOf(event, start, component),
  }
}

/** Without expanding the series: members wait for the page, and a short rule can take seconds. */
function endOf(event: EventDetails, start: EventTime, component: ICAL.Component): Pick<CalendarRequest, 'endsAt'> {
  const { recurring, durationSec } = event
  if (!recurring) return { endsAt: new Date(start.at + durationSec * 1000) }
  const rule = component.getFirstPropertyValue('rrule')
  const until = rule instanceof ICAL.Recur ? rule.until : null
  return until ? { endsAt: new Date(until.toUnixTime() * 1000 + DAY_MS + durationSec * 1000) } : {}
}

/** Each once. Rooms and devices do not answer. */
function attendeesOf(component: ICAL.Component): Mailbox[] {
  const people = component
    .getAllProperties('attendee')
    .slice(0, MAX_ATTENDEES)
    .filter((one) => !/^(?:ROOM|RESOURCE)$/i.test(String(one.getFirstParameter('cutype') ?? '')))
  const mailboxes = people.flatMap((one) => mailboxOf(one) ?? [])
  return [...new Map(mailboxes.map((one) => [one.address, one])).values()]
}

function mailboxOf(property: ICAL.Property | null): Mailbox | undefined {
  const written = String(property?.getFirstValue() ?? '').replace(/^mailto:/i, '')
  try {
    const name = cut(cleanLine(String(property?.getFirstParameter('cn') ?? '')), MAX_NAME_CHARS)
    return { name, address: requireEmail('address', written) }
  } catch {
    return undefined
  }
}

function toWire({ kind, at }: EventTime): CalendarRequest['start'] {
  if (kind === 'moment') return { at: new Date(at), local: '' }
  return { local: toLocalTime(new Date(at), kind) }
}

function wordsOf({ kind, time }: EventTime, component: ICAL.Component): string {
  const { year, month, day, hour, minute } = time
  const wall = new Date(Date.UTC(year, month - 1, day, hour, minute))
  const style: Intl.DateTimeFormatOptions = { dateStyle: 'full', timeZone: 'UTC' }
  if (kind !== 'day') style.timeStyle = 'short'
  const words = wall.toLocaleString('en-US', style).replaceAll('\u202f', ' ')
  const named = String(component.getFirstProperty('dtstart')?.getFirstParameter('tzid') ?? '')
  const zone = named === '' && kind === 'moment' ? 'UTC' : cut(cleanLine(named), MAX_ZONE_CHARS)
  return zone === '' ? words : `${words} (${zone})`
}
