import { type AcceptedEvent, AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import type { CareEvent } from '../models/care-event.ts'
import { plainLine } from './plain-note.ts'
import { redact } from './redact.ts'
import { isUrgent } from './urgent.ts'

const MAX_ID = 200
const MAX_TYPE = 100
/** The earliest google.protobuf.Timestamp. */
const FIRST_TIME = new Date('0001-01-01T00:00:00Z')

/** Its text never quotes the message. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent'
}

/** Each event may still lack fields. @throws UnreadableEvent when it has no events */
export function decodeEvents(message: Uint8Array): AcceptedEvent[] {
  try {
    const { events } = AcceptedEvents.decode(message)
    if (events.length > 0) return events
  } catch {}
  throw new UnreadableEvent('it cannot be decoded')
}

/** @throws UnreadableEvent when a required field is missing */
export function toCareEvent(event: AcceptedEvent): CareEvent {
  for (const field of ['eventId', 'linkId', 'workspaceId', 'lovedOneId'] as const)
    if (!isId(event[field])) throw new UnreadableEvent(`it has no ${field}`)
  for (const field of ['occurredAt', 'receivedAt'] as const)
    if (!isTime(event[field])) throw new UnreadableEvent(`it has no ${field}`)
  const { eventId: _id, linkId, workspaceId, lovedOneId, eventType, occurredAt, receivedAt, payload } = event
  const type = plainLine(eventType, MAX_TYPE)
  return {
    _id,
    workspaceId,
    lovedOneId,
    linkId,
    eventType: type,
    ...(isUrgent(type) && { urgent: true }),
    occurredAt: atLeast(FIRST_TIME, occurredAt),
    receivedAt: atLeast(FIRST_TIME, receivedAt),
    details: redact(eventType, payload),
  }
}

export function isId(text: string): boolean {
  return text !== '' && text.length <= MAX_ID
}

export function isTime(time: Date | undefined): time is Date {
  return time !== undefined && !Number.isNaN(time.getTime())
}

function atLeast(first: Date, time: Date | undefined): Date {
  return time && time > first ? time : first
}
