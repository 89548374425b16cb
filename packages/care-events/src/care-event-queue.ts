import { createHash } from 'node:crypto'
import { AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { openDurableStream } from '@family-inbox/service-kit/durable-stream'
import type { Logger } from '@family-inbox/service-kit/logger'
import type { NatsAccess } from '@family-inbox/service-kit/nats'
import type { NatsConnection } from 'nats'
import { CARE_EVENT_SUBJECT, ensureCareEventStream } from './care-event-stream.ts'
import { eraseCareEvents } from './erase-care-events.ts'

/**
 * Returns when the events are on disk in the stream, as one message. The same events again are the same message: the stream
 * drops it within its duplicate window. The timeline knows each event for good, in whatever message it comes.
 * @throws within some 1.5 s when NATS is away; they may be in the stream all the same, so try again
 */
export type PublishCareEvents = (message: AcceptedEvents) => Promise<void>

export type CareEventQueue = AsyncDisposable & {
  connection: Promise<NatsConnection>
  publish: PublishCareEvents
  /** Erases what waits for one link, bytes and all. Doing it twice does no harm. */
  erase(linkId: string): Promise<void>
}

/** Opens the stream of accepted events for the pipe, behind its back: the operator's calls work also while NATS is away. */
export function openCareEventQueue(config: NatsAccess & { natsReplicas: number }, logger: Logger): CareEventQueue {
  const stream = openDurableStream(config, (nats) => ensureCareEventStream(nats, config.natsReplicas), logger)
  const publish: PublishCareEvents = (message) =>
    stream.publish(CARE_EVENT_SUBJECT, idOf(message), AcceptedEvents.encode(message).finish())
  return {
    connection: stream.connection,
    publish,
    erase: async (linkId) => eraseCareEvents(await stream.connection, publish, linkId),
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

function idOf({ events }: AcceptedEvents): string {
  const hash = createHash('sha256')
  for (const { eventId } of events) hash.update(`${eventId} `)
  return hash.digest('base64url')
}
