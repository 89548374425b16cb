import type { Identity } from '@family-inbox/service-kit/identity'
import { publishDurably } from '@family-inbox/service-kit/nats'
import { raceDeadline } from '@family-inbox/service-kit/rpc/deadline'
import type { NatsConnection } from 'nats'
import { ensureRemovalStream, type RemovalKind, removalSubject } from './removal-stream.ts'

const PATIENCE_MS = 1200

export type RemovalsOptions = {
  /** The connection, once there is one. */
  connection: Promise<NatsConnection>
  natsReplicas: number
  /** Signs removals, and verifies who did. */
  identity: Pick<Identity, 'signNotice' | 'verifyNotice'>
}

/**
 * Tells every service to forget a household, a person or a membership, and returns when that is on disk. Saying it twice does no harm.
 * @throws within some seconds when NATS is away; it may be said all the same
 */
export async function announceRemoval(options: RemovalsOptions, kind: RemovalKind, id: string): Promise<void> {
  const subject = removalSubject(kind)
  const notice = await options.identity.signNotice(subject, id)
  const connection = await raceDeadline(options.connection, Date.now() + PATIENCE_MS)
  await ensureRemovalStream(connection, options.natsReplicas)
  await publishDurably(connection.jetstream(), subject, `${kind}/${id}`, Buffer.from(notice))
}
