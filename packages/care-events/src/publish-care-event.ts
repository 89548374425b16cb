import { AcceptedEvent } from '@family-inbox/proto/careevents/v1/care_event'
import { publishDurably } from '@family-inbox/service-kit/nats'
import type { JetStreamClient } from 'nats'
import { careEventSubject } from './care-event-stream.ts'

/**
 * Puts an event into the stream and returns when it is on disk there. The same event id again is the same event: the stream
 * drops it within its duplicate window, and the timeline knows it for good.
 * @throws when NATS is not reachable within 1.5 s; the event may be in the stream all the same, so try again
 */
export function publishCareEvent(stream: JetStreamClient, event: AcceptedEvent): Promise<void> {
  return publishDurably(stream, careEventSubject(event.linkId), event.eventId, AcceptedEvent.encode(event).finish())
}
