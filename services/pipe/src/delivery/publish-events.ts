import type { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type Envelope, readEnvelope } from '../envelope/read-envelope.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'

const MAX_EVENTS = 32
/** Well under NATS's 1 MB; the largest event is a quarter of that. */
const MAX_CHARACTERS = 128 * 1024

export type Publishable = { eventId: string; link: Link; envelope: Envelope; receivedAt: Date }

/**
 * The sweeper retries failures.
 * @param again distinguishes messages from those that the stream lost
 * @returns the ids that are durable in the stream
 */
export async function publishEvents(
  ctx: Context,
  events: readonly Publishable[],
  again?: string,
): Promise<Set<string>> {
  const published = new Set<string>()
  const publishing = splitIntoMessages(events).map(async (batch) => {
    await ctx.careEvents.publish({ events: batch.map(toAcceptedEvent) }, again)
    crashPoint('event-published')
    for (const { eventId } of batch) published.add(eventId)
  })
  const [failed] = (await Promise.allSettled(publishing)).filter(({ status }) => status === 'rejected')
  if (failed) {
    ctx.logger.warn(describeError((failed as PromiseRejectedResult).reason), 'publishing left to the sweeper')
    ctx.wake.unpublished()
  }
  ctx.published.mark(published)
  return published
}

export function toPublishable({ _id, body, receivedAt }: EventRow, link: Link): Publishable {
  const read = body && readEnvelope(bytesOf(body))
  if (!read || !receivedAt || 'problem' in read) throw new Error('the row has no event')
  return { eventId: _id, link, envelope: read.envelope, receivedAt }
}

function toAcceptedEvent({ eventId, link, envelope, receivedAt }: Publishable): AcceptedEvent {
  const { institutionId, eventType, occurredAt, payload } = envelope
  const { _id: linkId, workspaceId, lovedOneId } = link
  const bytes = Buffer.from(payload)
  return { eventId, linkId, workspaceId, lovedOneId, institutionId, eventType, occurredAt, receivedAt, payload: bytes }
}

/** The bare driver returns binary fields as a class of its own. */
function bytesOf(body: Uint8Array | { buffer: Uint8Array }): Uint8Array {
  return body instanceof Uint8Array ? body : body.buffer
}

export function splitIntoMessages<Event extends Pick<Publishable, 'envelope'>>(events: readonly Event[]): Event[][] {
  const messages: Event[][] = []
  let size = 0
  for (const event of events) {
    const { length } = event.envelope.payload
    const current = messages.at(-1)
    if (current === undefined || current.length === MAX_EVENTS || size + length > MAX_CHARACTERS) {
      messages.push([event])
      size = length
    } else {
      current.push(event)
      size += length
    }
  }
  return messages
}
