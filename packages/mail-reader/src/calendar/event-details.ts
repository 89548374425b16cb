import type { Mailbox } from '../mime/message-fields.ts'
import type { TimeKind } from './event-times.ts'
import type { Meeting } from './meeting.ts'
/** A time as pages and mails say it. */
export type PlannedTime = {
  kind: TimeKind
  /** A day, and what clocks at the place show, as if in UTC. */
  at: Date
  /** The time on clocks at the place, as if in UTC. */
  wall: Date
  /** The name of the zone in the file; empty without one. */
  zone: string
}

/** The plain values of a VEVENT (RFC 5545), without its occurrences. */
export type EventDetails = {
  uid: string
  /** The file has none, and this one was made of title and start. */
  withoutUid: boolean
  /** As the file writes it, so that an answer can repeat it. */
  hasExactUid: boolean
  /** In upper case; may be empty. */
  method: string
  canceled: boolean
  tentative: boolean
  /** A cancellation that names attendees and does not say that the event is canceled: of these, if others stay. */
  isForAttendees: boolean
  /** The original start of a changed occurrence. */
  recurrenceId?: Date
  /** When the day begins that names it, if only a day does. */
  recurrenceDay?: Date
  /** The kind of the original start of a changed occurrence. */
  seriesKind: TimeKind
  andLater: boolean
  sequence: number
  stampedAt?: Date
  title: string
  place: string
  meeting: Meeting
  /** As the file says, so it proves nothing. The address is in lower case; both may be empty. */
  organizer: Mailbox
  /** Each once and without the organizer, rooms and devices. */
  attendees: Mailbox[]
  start?: PlannedTime
  /** For whole days, the midnight after the last. */
  end?: PlannedTime
  durationSec: number
  recurring: boolean
  /** The frequency of its first rule; empty without one. */
  frequency: string
  interval: number
  /** When the last one ends; absent for a series that may have no end. */
  endsAt?: Date
}

export type ReadEvent = EventDetails & {
  /** Those that matter when the mail arrived; in order. */
  starts: Date[]
}
