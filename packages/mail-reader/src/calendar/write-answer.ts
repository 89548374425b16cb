import { PRODUCT } from '@family-inbox/workspace-kit/product'
import ICAL from 'ical.js'
import type { TimeKind } from './event-times.ts'
import type { CalendarRequest } from './to-requests.ts'

/** RFC 5545 section 3.1 allows 75 bytes, and the library does not count the space that begins a folded line. */
ICAL.foldLength = 74

export type AttendeeAnswer = Pick<CalendarRequest, 'uid' | 'recurrenceId' | 'kind' | 'sequence'> & {
  /** The invited address whose answer it is. */
  attendee: string
  coming: boolean
  /** Counts the answers to one request, from 0. */
  turn: number
}

/** An answer to an organizer (RFC 5546 section 3.2.3). The same answer gives the same bytes. */
export function writeAnswer(answer: AttendeeAnswer, organizer: string, answeredAt: Date): string {
  const { uid, sequence, recurrenceId, kind, attendee, coming, turn } = answer
  const event = new ICAL.Component('vevent')
  event.addPropertyWithValue('uid', uid)
  event.addPropertyWithValue('sequence', sequence)
  // A second later for each turn: programs order answers by it, and it counts seconds.
  event.addPropertyWithValue('dtstamp', toTime(new Date(answeredAt.getTime() + turn * 1000), 'moment'))
  if (recurrenceId !== undefined) event.addPropertyWithValue('recurrence-id', toTime(recurrenceId, kind))
  event.addPropertyWithValue('organizer', `mailto:${organizer}`)
  const property = event.addPropertyWithValue('attendee', `mailto:${attendee}`)
  property.setParameter('partstat', coming ? 'ACCEPTED' : 'DECLINED')
  const calendar = new ICAL.Component('vcalendar')
  calendar.addPropertyWithValue('version', '2.0')
  calendar.addPropertyWithValue('prodid', `-//${PRODUCT}//Calendar//EN`)
  calendar.addPropertyWithValue('method', 'REPLY')
  calendar.addSubcomponent(event)
  return `${calendar.toString()}\r\n`
}

/** Has the kind of the event's own start (RFC 5545 section 3.8.4.4). */
function toTime(at: Date, kind: TimeKind): ICAL.Time {
  const time = ICAL.Time.fromJSDate(new Date(Math.floor(at.getTime() / 1000) * 1000), true)
  if (kind === 'day') time.isDate = true
  if (kind === 'local') time.zone = ICAL.Timezone.localTimezone
  return time
}

/** For a reader whose program ignores the calendar part. */
export function answerText({ title, startWords }: CalendarRequest, coming: boolean): string {
  const answer = coming ? 'We are coming' : 'We cannot come'
  const what = title === '' ? 'your appointment' : `“${title}”`
  return startWords === '' ? `${answer} to all dates of ${what}.` : `${answer} to ${what} on ${startWords}.`
}
