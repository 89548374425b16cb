import type { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { type Envelope, readEnvelope } from '../envelope/read-envelope.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'

/** What an event needs to go through the stream. */
export type Publishable = { eventId: string; link: Link; envelope: Envelope; receivedAt: Date }

/**
 * Puts events into the stream, together. What the stream cannot take is left to the sweeper.
 * @returns the ids of those that are on disk in the stream
 */
export async function publishEvents(ctx: Context, events: readonly Publishable[]): Promise<Set<string>> {
  const published = new Set<string>()
  const publishing = inMessages(events).map(async (together) => {
    await ctx.careEvents.publish({ events: together.map(toAcceptedEvent) })
    for (const { eventId } of together) published.add(eventId)
  })
  const [failed] = (await Promise.allSettled(publishing)).filter(({ status }) => status === 'rejected')
  if (failed) ctx.logger.warn(describeError((failed as PromiseRejectedResult).reason), 'events are left to the sweeper')
  ctx.published.mark(published)
  return published
}

/**
 * Reads from a row what is needed to publish it again.
 * @throws for a row that holds no event
 */
export function toPublishable({ _id, body, receivedAt }: EventRow, link: Link): Publishable {
  const read = body && readEnvelope(bytesOf(body))
  if (!read || !receivedAt || 'problem' in read) throw new Error('a row holds no event')
  return { eventId: _id, link, envelope: read.envelope, receivedAt }
}

function toAcceptedEvent({ eventId, link, envelope, receivedAt }: Publishable): AcceptedEvent {
  const { institutionId, eventType, occurredAt, payload } = envelope
  const { _id: linkId, workspaceId, lovedOneId } = link
  const bytes = Buffer.from(payload)
  return { eventId, linkId, workspaceId, lovedOneId, institutionId, eventType, occurredAt, receivedAt, payload: bytes }
}

/** The bare driver reads binary fields as its own class, whose bytes are in `buffer`. */
function bytesOf(body: Uint8Array | { buffer: Uint8Array }): Uint8Array {
  return body instanceof Uint8Array ? body : body.buffer
}

/** What is read again when one of them is in trouble. */
const MOST_EVENTS = 32
/** Well under the 1 MB that NATS takes, whatever its events weigh; the largest event is a quarter of it. */
const MOST_CHARACTERS = 128 * 1024

/** Events as they go through the stream together: in order, not too many, not too large. Pure. */
export function inMessages<Event extends Pick<Publishable, 'envelope'>>(events: readonly Event[]): Event[][] {
  const messages: Event[][] = []
  let size = 0
  for (const event of events) {
    const { length } = event.envelope.payload
    const current = messages.at(-1)
    if (current === undefined || current.length === MOST_EVENTS || size + length > MOST_CHARACTERS) {
      messages.push([event])
      size = length
    } else {
      current.push(event)
      size += length
    }
  }
  return messages
}
