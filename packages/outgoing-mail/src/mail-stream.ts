import { ensureStream } from '@family-inbox/service-kit/nats'
import { type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

/** The stream of mail to be sent: on disk, each mail until the sender has dealt with it. */
export const MAIL_STREAM = 'OUTGOING_MAIL'
export const MAIL_SUBJECTS = 'mail.send.>'

const DUPLICATE_WINDOW_MS = 10 * 60_000

/**
 * Makes the stream, or leaves it as it is. Every service that writes or sends mail calls this at its start, so that the
 * order of starts does not matter.
 * @param replicas how many NATS servers hold each mail: 1 on one machine, 3 on a cluster
 */
export async function ensureMailStream(connection: NatsConnection, replicas: number): Promise<void> {
  await ensureStream(connection, {
    name: MAIL_STREAM,
    subjects: [MAIL_SUBJECTS],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    num_replicas: replicas,
  })
}
