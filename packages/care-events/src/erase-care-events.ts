import type { MsgRequest, NatsConnection } from 'nats'
import { CARE_EVENT_STREAM, careEventSubject } from './care-event-stream.ts'

/** What nats-server answers when there is no message, or no stream, to be had. */
const NOT_FOUND = '404'

/**
 * Erases what waits in the stream for one link, one event after the other, its bytes on disk included. The stream is not
 * purged by the subject, since nats-server then loses other events of the same consumer that wait to be delivered again.
 */
export async function eraseCareEvents(connection: NatsConnection, linkId: string): Promise<void> {
  const { streams } = await connection.jetstreamManager({ timeout: 1500 })
  for (let seq = 1; ; seq += 1) {
    // The server finds the next one by its subject (ADR-31); the client's types do not know it yet.
    const next = { seq, next_by_subj: careEventSubject(linkId) } as MsgRequest
    const message = await orNothing(streams.getMessage(CARE_EVENT_STREAM, next))
    if (message === undefined) return
    await orNothing(streams.deleteMessage(CARE_EVENT_STREAM, message.seq, true))
    seq = message.seq
  }
}

/** An event that care-circle takes out at this very moment is as gone as can be. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined
    throw error
  }
}
