import type { NatsConnection } from 'nats'
import { CARE_EVENT_STREAM, careEventSubject } from './care-event-stream.ts'

/** Removes what waits in the stream for one link. Doing it twice does no harm. */
export async function purgeCareEvents(connection: NatsConnection, linkId: string): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 1500 })
  await manager.streams.purge(CARE_EVENT_STREAM, { filter: careEventSubject(linkId) })
}
