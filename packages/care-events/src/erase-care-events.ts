import { AcceptedEvents } from '@family-inbox/proto/careevents/v1/care_event'
import type { MsgRequest, NatsConnection } from 'nats'
import type { PublishCareEvents } from './care-event-queue.ts'
import { CARE_EVENT_STREAM, CARE_EVENT_SUBJECTS } from './care-event-stream.ts'

/** What nats-server answers when there is no message, or no stream, to be had. */
const NOT_FOUND = '404'

/**
 * Erases what waits in the stream for one link, one message after the other, its bytes on disk included. What else was in such a
 * message goes into the stream anew first: should it be there twice, its timeline knows it.
 */
export async function eraseCareEvents(
  connection: NatsConnection,
  publish: PublishCareEvents,
  linkId: string,
): Promise<void> {
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
