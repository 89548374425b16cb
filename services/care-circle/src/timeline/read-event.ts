import { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import type { CareEvent } from '../models/care-event.ts'
import { plainLine } from './plain-note.ts'
import { redact } from './redact.ts'

const MAX_ID = 200
const MAX_TYPE = 100
/** Where the contract's times begin (google.protobuf.Timestamp). */
const FIRST_TIME = new Date('0001-01-01T00:00:00Z')

/** A message that is no event. Its text says what is wrong and holds nothing of the message. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent'
}

/** @throws UnreadableEvent */
export function readEvent(message: Uint8Array): AcceptedEvent {
  const event = decode(message)
  for (const field of ['eventId', 'linkId', 'workspaceId', 'lovedOneId'] as const)
    if (event[field] === '' || event[field].length > MAX_ID) throw new UnreadableEvent(`it has no ${field}`)
  for (const field of ['occurredAt', 'receivedAt'] as const)
    if (Number.isNaN(Number(event[field] ?? Number.NaN))) throw new UnreadableEvent(`it has no ${field}`)
  return event
}

/** The row of an event: all that is ever stored of it. */
export function toCareEvent(event: AcceptedEvent): CareEvent {
  const { eventId: _id, linkId, workspaceId, lovedOneId, eventType, occurredAt, receivedAt, payload } = event
  return {
    _id,
    workspaceId,
    lovedOneId,
    linkId,
    eventType: plainLine(eventType, MAX_TYPE),
    occurredAt: atLeast(FIRST_TIME, occurredAt),
    receivedAt: atLeast(FIRST_TIME, receivedAt),
    details: redact(eventType, payload),
  }
}

function decode(message: Uint8Array): AcceptedEvent {
  try {
    return AcceptedEvent.decode(message)
  } catch {
    throw new UnreadableEvent('it cannot be decoded')
  }
}

function atLeast(first: Date, time: Date | undefined): Date {
  return time && time > first ? time : first
}
