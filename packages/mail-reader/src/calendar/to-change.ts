import { createHash } from 'node:crypto'
import { type CalendarEvent, TimeKind } from '@family-inbox/proto/calendar/v1/calendar_change'
import { cut } from '@family-inbox/service-kit/text/cut'
import { isSameSender } from '@family-inbox/workspace-kit/same-sender'
import type { Mailbox } from '../mime/message-fields.ts'
import type { ReadEvent } from './event-details.ts'
import { PLANNING_METHODS } from './read-calendar.ts'

/** The limit for titles and places, which each occurrence repeats. */
const MAX_CHARS = 200

const KINDS = {
  moment: TimeKind.UNSPECIFIED,
  day: TimeKind.DAY,
  local: TimeKind.LOCAL,
}

/** Describes an event without a calendar library. Undefined for what plans nothing, such as an answer. */
export function toCalendarEvent(event: ReadEvent, receivedAt: Date): CalendarEvent | undefined {
  if (!PLANNING_METHODS.includes(event.method)) return undefined
  const { start, organizer, attendees, meeting, stampedAt = receivedAt } = event
  const { uid, withoutUid, canceled, tentative, andLater, sequence, durationSec, recurring, starts } = event
  return {
    uid,
    withoutUid,
    canceled,
    tentative,
    andLater,
    sequence,
    durationSec,
    recurring,
    starts,
    recurrenceId: event.recurrenceId,
    recurrenceDay: event.recurrenceDay,
    stampedAt,
    title: cut(event.title, MAX_CHARS),
    place: cut(event.place, MAX_CHARS),
    organizerName: organizer.name,
    organizerAddress: organizer.address,
    kind: KINDS[start?.kind ?? 'moment'],
    ...divide(attendees, organizer),
    isForAttendees: event.isForAttendees,
    link: meeting.link,
    note: meeting.note,
  }
}

/** When a clinic takes back its invitation of a family, those who stay are its own people. */
function divide(attendees: Mailbox[], organizer: Mailbox): Pick<CalendarEvent, 'attendees' | 'colleagues'> {
  const [guests, own] = [false, true].map((isOwn) =>
    attendees.filter(({ address }) => isSameSender(address, organizer.address) === isOwn),
  )
  const hashed = (some: Mailbox[] = []) => some.map(({ address }) => hashAttendee(address))
  return guests?.length === 0
    ? { attendees: hashed(own), colleagues: [] }
    : { attendees: hashed(guests), colleagues: hashed(own) }
}

/** Only compared with others of the same event. */
function hashAttendee(address: string): string {
  return createHash('sha256').update(address).digest('base64url').slice(0, 16)
}
