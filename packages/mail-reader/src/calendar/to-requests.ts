import { createHash } from 'node:crypto'
import { requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { cut } from '@family-inbox/service-kit/text/cut'
import { toLocalTime } from '@family-inbox/workspace-kit/calendar-changes'
import type { Mailbox } from '../mime/message-fields.ts'
import type { EventDetails, PlannedTime } from './event-details.ts'
import type { TimeKind } from './event-times.ts'
import { findZone } from './zone-names.ts'

/** A version of an event to which its organizer invites somebody by address. */
export type CalendarRequest = {
  /** The same in every copy of it. */
  id: string
  uid: string
  /** The original start, if it is about one of a series. */
  recurrenceId?: Date
  /** The kind of the original start, if it is about an occurrence of a series; else of its own. */
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

/** The limit for titles, which an answer repeats. */
const MAX_CHARS = 200

/** The request in an event (RFC 5546 section 3.2.2); undefined if it asks nobody, or cannot be answered exactly. */
export function toRequest(event: EventDetails): CalendarRequest | undefined {
  const { uid, recurrenceId, sequence, start, organizer, attendees, endsAt } = event
  if (event.method !== 'REQUEST' || event.canceled || start === undefined || !event.hasExactUid) return undefined
  if (attendees.length === 0 || !isAddress(organizer.address)) return undefined
  const name = JSON.stringify([uid, recurrenceId?.getTime() ?? null, sequence, organizer.address])
  return {
    id: createHash('sha256').update(name).digest('hex').slice(0, 32),
    uid,
    ...(recurrenceId && { recurrenceId }),
    kind: recurrenceId ? event.seriesKind : start.kind,
    sequence,
    title: cut(event.title, MAX_CHARS),
    start: toWireTime(start),
    startWords: event.recurring ? '' : wordsOf(start),
    organizer,
    attendees,
    ...(endsAt && { endsAt }),
  }
}

/** Either a moment, or what the file says: a day, or a time without a time zone. */
export function toWireTime({ kind, at }: PlannedTime): { at?: Date; local: string } {
  return kind === 'moment' ? { at, local: '' } : { local: toLocalTime(at, kind) }
}

function isAddress(address: string): boolean {
  try {
    return requireEmail('address', address) === address
  } catch {
    return false
  }
}

function wordsOf({ kind, wall, zone }: PlannedTime): string {
  const style: Intl.DateTimeFormatOptions = { dateStyle: 'full', timeZone: 'UTC' }
  if (kind !== 'day') style.timeStyle = 'short'
  const words = wall.toLocaleString('en-US', style).replaceAll('\u202f', ' ')
  return [words, zone && zoneWords(zone)].filter(Boolean).join(' ')
}

/** As people at the place say it: `Eastern Time`. A name that nobody knows stays as the file has it. */
function zoneWords(written: string): string {
  const timeZone = findZone(written)
  if (timeZone === undefined) return `(${written})`
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longGeneric' }).formatToParts()
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? written
  return name === 'GMT+00:00' ? 'UTC' : name
}
