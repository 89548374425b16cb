import { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { type DurableStream, openDurableStream } from '@family-inbox/service-kit/durable-stream'
import type { Logger } from '@family-inbox/service-kit/logger'
import { careEventSubject, ensureCareEventStream } from './care-event-stream.ts'
import { eraseCareEvents } from './erase-care-events.ts'

export type CareEventQueue = AsyncDisposable &
  Pick<DurableStream, 'connection'> & {
    /**
     * Returns when the event is on disk in the stream. The same event id again is the same event: the stream drops it within
     * its duplicate window, and the timeline knows it for good.
     * @throws within some 1.5 s when NATS is away; the event may be in the stream all the same, so try again
     */
    publish(event: AcceptedEvent): Promise<void>
    /** Erases what waits for one link, bytes and all. Doing it twice does no harm. */
    erase(linkId: string): Promise<void>
  }

/** Opens the stream of accepted events for the pipe, behind its back: the operator's calls work also while NATS is away. */
export function openCareEventQueue(config: { natsUrl: string; natsReplicas: number }, logger: Logger): CareEventQueue {
  const { natsUrl, natsReplicas } = config
  const stream = openDurableStream(natsUrl, (nats) => ensureCareEventStream(nats, natsReplicas), logger)
  return {
    connection: stream.connection,
    publish: (event) =>
      stream.publish(careEventSubject(event.linkId), event.eventId, AcceptedEvent.encode(event).finish()),
    erase: async (linkId) => eraseCareEvents(await stream.connection, linkId),
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}
