import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { type DurableStream, openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { ensureStream, type NatsAccess } from '@family-inbox/service-kit/nats/nats'
import type { Logger } from '@family-inbox/service-kit/observability/logger'
import { type NatsConnection, nanos, RetentionPolicy, StorageType } from 'nats'

export type MailQueue = AsyncDisposable &
  Pick<DurableStream, 'connection'> & {
    /** Resolves when the mail is on disk. Throws within 1.5 s when NATS is down; retry with the same id. */
    send(mail: OutgoingMail): Promise<void>
  }

export function openMailQueue(config: NatsAccess & { natsReplicas: number }, logger: Logger): MailQueue {
  const stream = openDurableStream(config, (nats) => ensureMailStream(nats, config.natsReplicas), logger)
  return {
    connection: stream.connection,
    send: (mail) => stream.publish(mailSubject(mail), mail.id, OutgoingMail.encode(mail).finish()),
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

/** NATS decides by subject which service may send which kind of mail. */
export function mailSubject({ kind }: Pick<OutgoingMail, 'kind'>): string {
  return `mail.send.${KIND_SUBJECT[kind] ?? 'other'}`
}

export const OUTGOING_MAIL_STOPPED =
  "Your family can't send replies or invitations right now. Nothing was sent. Contact support to find out why."

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

export const MAIL_STREAM = 'OUTGOING_MAIL'
export const MAIL_SUBJECTS = 'mail.send.>'

const DUPLICATE_WINDOW_MS = 10 * 60_000

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
