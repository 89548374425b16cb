import { ensureStream } from '@family-inbox/service-kit/nats'
import { type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

/** The stream of accepted events: on disk, each until care-circle has put it on a timeline or set it aside. */
export const CARE_EVENT_STREAM = 'CARE_EVENTS'
export const CARE_EVENT_SUBJECTS = 'care.events.>'
/** Where events are published, whoever they are about: those that are accepted together are one message. */
export const CARE_EVENT_SUBJECT = 'care.events.accepted'

/** The durable consumer by which care-circle reads the stream. A work queue has room for one. */
export const CARE_EVENT_CONSUMER = 'care-timeline'

/** Longer than any retry of one publish. What comes later is known by its event id. */
const DUPLICATE_WINDOW_MS = 10 * 60_000

/**
 * Makes the stream, or leaves it as it is. Both sides call this at their start, so that the order of starts does not matter.
 * @param replicas how many NATS servers hold each event: 1 on one machine, 3 on a cluster
 */
export async function ensureCareEventStream(connection: NatsConnection, replicas: number): Promise<void> {
  await ensureStream(connection, {
    name: CARE_EVENT_STREAM,
    subjects: [CARE_EVENT_SUBJECTS],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    num_replicas: replicas,
  })
}
