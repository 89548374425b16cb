import { createHash } from 'node:crypto'
import { AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import { openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { ensureStream, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import type { Logger } from '@family-inbox/service-kit/observability/logger'
import { type MsgRequest, type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

/**
 * Returns when the events are on disk in the stream, as one message. The same events again are the same message: the stream
 * drops it within its duplicate window. The timeline knows each event for good, in whatever message it comes.
 * @throws within some 1.5 s when NATS is away; they may be in the stream all the same, so try again
 */
type PublishCareEvents = (message: AcceptedEvents) => Promise<void>

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

/** What nats-server answers when there is no message, or no stream, to be had. */
const NOT_FOUND = '404'

/**
 * Erases what waits in the stream for one link, one message after the other, its bytes on disk included. What else was in such a
 * message goes into the stream anew first: should it be there twice, its timeline knows it.
 */
async function eraseCareEvents(connection: NatsConnection, publish: PublishCareEvents, linkId: string): Promise<void> {
  const { streams } = await connection.jetstreamManager({ timeout: 1500 })
  for (let seq = 1; ; seq += 1) {
    // The server finds the next one by its subject (ADR-31); the client's types do not know it yet.
    const next = { seq, next_by_subj: CARE_EVENT_SUBJECTS } as MsgRequest
    const message = await orNothing(streams.getMessage(CARE_EVENT_STREAM, next))
    if (message === undefined) return
    seq = message.seq
    const events = eventsIn(message.data)
    const others = events.filter((event) => event.linkId !== linkId)
    if (others.length === events.length) continue
    if (others.length > 0) await publish({ events: others })
    await orNothing(streams.deleteMessage(CARE_EVENT_STREAM, seq, true))
  }
}

/** A message nobody can read is nobody's: its reader sets it aside. */
function eventsIn(data: Uint8Array): AcceptedEvents['events'] {
  try {
    return AcceptedEvents.decode(data).events
  } catch {
    return []
  }
}

/** A message that care-circle takes out at this very moment is as gone as can be. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined
    throw error
  }
}

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
