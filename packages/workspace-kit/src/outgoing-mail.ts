import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { type DurableStream, openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { ensureStream, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import type { Logger } from '@family-inbox/service-kit/observability/logger'
import { type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

export type MailQueue = AsyncDisposable &
  Pick<DurableStream, 'connection'> & {
    /**
     * Returns when the mail is on disk in the queue. Queueing the same id again is the same mail: the queue drops it within
     * its duplicate window, and the sender knows it for good by its delivery record.
     * @throws within some 1.5 s when NATS is away; the mail may be queued all the same, so try again with the same id
     */
    send(mail: OutgoingMail): Promise<void>
  }

/** Opens the queue of outgoing mail behind the caller's back: whatever needs no mail must work also while NATS is away. */
export function openMailQueue(config: NatsAccess & { natsReplicas: number }, logger: Logger): MailQueue {
  const stream = openDurableStream(config, (nats) => ensureMailStream(nats, config.natsReplicas), logger)
  return {
    connection: stream.connection,
    send: (mail) => stream.publish(`mail.send.${KIND_SUBJECT[mail.kind]}`, mail.id, OutgoingMail.encode(mail).finish()),
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

/** What is said when the operator has stopped a workspace's replies and invitations. */
export const OUTGOING_MAIL_STOPPED =
  'Replies and invitations of your family are stopped at the moment. Nothing was sent. Contact support to find out why.'

const KIND_SUBJECT: Record<MailKind, string> = {
  [MailKind.SIGN_IN_CODE]: 'sign-in-code',
  [MailKind.INVITATION]: 'invitation',
  [MailKind.REPLY]: 'reply',
  [MailKind.TEST]: 'test',
  [MailKind.NEW_MAIL]: 'new-mail',
  [MailKind.STORAGE]: 'storage',
  [MailKind.UNSPECIFIED]: 'other',
  [MailKind.UNRECOGNIZED]: 'other',
}

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
