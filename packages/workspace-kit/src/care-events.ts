import { createHash } from 'node:crypto'
import { AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import type { MsgRequest, NatsConnection } from '@family-inbox/service-kit/nats/client'
import { openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { ensureWorkQueue, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import type { Logger } from '@family-inbox/service-kit/observability/logger'

/**
 * Resolves when the events are on disk. Throws within 1.5 s when NATS is down; retry, duplicates are dropped.
 * @param again makes it another message than the one that the stream lost: it may still know that one's id
 */
type PublishCareEvents = (message: AcceptedEvents, again?: string) => Promise<void>

export type CareEventQueue = AsyncDisposable & {
  connection: Promise<NatsConnection>
  publish: PublishCareEvents
  erase(linkId: string): Promise<void>
}

export function openCareEventQueue(config: NatsAccess & { natsReplicas: number }, logger: Logger): CareEventQueue {
  const stream = openDurableStream(config, (nats) => ensureCareEventStream(nats, config.natsReplicas), logger)
  const publish: PublishCareEvents = async (message, again = '') => {
    await stream.publish(CARE_EVENT_SUBJECT, idOf(message) + again, AcceptedEvents.encode(message).finish())
  }
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

const NOT_FOUND = '404'

/** Other events in such a message are published again first; the timeline drops duplicates. */
async function eraseCareEvents(connection: NatsConnection, publish: PublishCareEvents, linkId: string): Promise<void> {
  const { streams } = await connection.jetstreamManager({ timeout: 1500 })
  for (let seq = 1; ; seq += 1) {
    // The server finds the next message by its subject (ADR-31), which the client's types lack.
    const next = { seq, next_by_subj: CARE_EVENT_SUBJECTS } as MsgRequest
    const message = await unlessMissing(streams.getMessage(CARE_EVENT_STREAM, next))
    if (message === undefined) return
    seq = message.seq
    const events = eventsIn(message.data)
    const others = events.filter((event) => event.linkId !== linkId)
    if (others.length === events.length) continue
    if (others.length > 0) await publish({ events: others })
    await unlessMissing(streams.deleteMessage(CARE_EVENT_STREAM, seq, true))
  }
}

function eventsIn(data: Uint8Array): AcceptedEvents['events'] {
  try {
    return AcceptedEvents.decode(data).events
  } catch {
    return []
  }
}

async function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined
    throw error
  }
}

export const CARE_EVENT_STREAM = 'CARE_EVENTS'
export const CARE_EVENT_SUBJECTS = 'care.events.>'
export const CARE_EVENT_SUBJECT = 'care.events.accepted'

export const CARE_EVENT_CONSUMER = 'care-timeline'

/** Longer than any retry of a publish. Later duplicates are recognized by event id. */
const DUPLICATE_WINDOW_MS = 10 * 60_000

export function ensureCareEventStream(connection: NatsConnection, replicas: number): Promise<void> {
  return ensureWorkQueue(connection, {
    name: CARE_EVENT_STREAM,
    subjects: CARE_EVENT_SUBJECTS,
    replicas,
    duplicateWindowMs: DUPLICATE_WINDOW_MS,
  })
}
