import { publishDurably } from '@family-inbox/service-kit/nats'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { NatsConnection } from 'nats'
import { ensureRemovalStream, type RemovalKind, removalSubject } from './removal-stream.ts'

const PATIENCE_MS = 1200

export type RemovalsOptions = {
  /** The connection, once there is one. */
  connection: Promise<NatsConnection>
  natsReplicas: number
}

/**
 * Tells every service to forget a household, a person or a membership, and returns when that is on disk. Saying it twice does no harm.
 * @throws within some seconds when NATS is away; it may be said all the same
 */
export async function announceRemoval(options: RemovalsOptions, kind: RemovalKind, id: string): Promise<void> {
  const connection = await raceDeadline(options.connection, Date.now() + PATIENCE_MS)
  await ensureRemovalStream(connection, options.natsReplicas)
  await publishDurably(connection.jetstream(), removalSubject(kind), `${kind}/${id}`, Buffer.from(id))
}
