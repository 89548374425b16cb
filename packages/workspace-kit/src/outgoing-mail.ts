import { createHash } from 'node:crypto'
import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import type { JsMsg, NatsConnection } from '@family-inbox/service-kit/nats/client'
import { type DurableStream, openDurableStream } from '@family-inbox/service-kit/nats/durable-stream'
import { ensureWorkQueue, type NatsAccess, NOTICE_HEADER } from '@family-inbox/service-kit/nats/nats'
import type { Logger } from '@family-inbox/service-kit/observability/logger'
import type { Identity } from '@family-inbox/service-kit/rpc/identity'
import { toMailName } from './mail-name.ts'
import { PRODUCT } from './product.ts'

export type MailQueue = AsyncDisposable &
  Pick<DurableStream, 'connection'> & {
    /** Resolves to its sequence number when the mail is on disk. Throws within 1.5 s when NATS is down; retry with the same id. */
    send(mail: OutgoingMail): Promise<number>
  }

/** The addresses of a mail that the service writes itself, and that answers no other mail. */
export function fromService({ email, name }: { email: string; name: string }) {
  return {
    toAddress: email,
    toName: toMailName(name),
    fromName: PRODUCT,
    replyTo: '',
    inReplyTo: '',
    references: [],
  } satisfies Partial<OutgoingMail>
}

/** The same for every attempt at one mail, so that it is sent once. Another way to write it would double a mail during an upgrade. */
export function deriveMailId(kind: string, parts: (string | number)[]): string {
  return `${kind}-${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}`
}

type MailQueueConfig = NatsAccess & { natsReplicas: number }

export function openMailQueue(
  config: MailQueueConfig,
  identity: Pick<Identity, 'signNotice'>,
  logger: Logger,
): MailQueue {
  const stream = openDurableStream(config, (nats) => ensureMailStream(nats, config.natsReplicas), logger)
  return {
    connection: stream.connection,
    async send(mail) {
      const subject = mailSubject(mail)
      const bytes = OutgoingMail.encode(mail).finish()
      return stream.publish(subject, mail.id, bytes, await signMail(identity, subject, bytes))
    },
    [Symbol.asyncDispose]: () => stream[Symbol.asyncDispose](),
  }
}

/** Signs a queued mail: NATS permissions alone do not prove who put a message under a subject. */
export function signMail(identity: Pick<Identity, 'signNotice'>, subject: string, bytes: Uint8Array): Promise<string> {
  return identity.signNotice(subject, digest(bytes))
}

/** The mail of a queued message; undefined unless the service that sends mail of its kind signed it. */
export async function readSignedMail(
  identity: Pick<Identity, 'verifyNotice'>,
  message: Pick<JsMsg, 'subject' | 'data' | 'headers'>,
): Promise<OutgoingMail | undefined> {
  const { subject, data, headers } = message
  const notice = await identity.verifyNotice(headers?.get(NOTICE_HEADER) ?? '', subject).catch(() => undefined)
  if (notice === undefined || notice.id !== digest(data)) return undefined
  const mail = OutgoingMail.decode(data)
  return subject === mailSubject(mail) && notice.signer === SIGNER[mail.kind] ? mail : undefined
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url')
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
  // By the same service to the same people, so they need no other right.
  [MailKind.MAILBOX]: 'storage',
  [MailKind.NOT_SENT]: 'new-mail',
  [MailKind.APPOINTMENT]: 'appointment',
  [MailKind.URGENT_EVENT]: 'urgent-event',
  [MailKind.POSTMASTER]: 'postmaster',
  [MailKind.ALARM]: 'alarm',
  [MailKind.CALENDAR_ADDRESS]: 'calendar-address',
  // As above.
  [MailKind.EMERGENCY_LINK]: 'calendar-address',
  [MailKind.UNSPECIFIED]: 'other',
  [MailKind.UNRECOGNIZED]: 'other',
}

const SIGNER: Readonly<Partial<Record<MailKind, string>>> = {
  [MailKind.SIGN_IN_CODE]: 'auth',
  [MailKind.INVITATION]: 'care-circle',
  [MailKind.REPLY]: 'inbox',
  [MailKind.TEST]: 'inbox',
  [MailKind.NEW_MAIL]: 'inbox',
  [MailKind.STORAGE]: 'inbox',
  [MailKind.MAILBOX]: 'inbox',
  [MailKind.NOT_SENT]: 'inbox',
  [MailKind.APPOINTMENT]: 'care-circle',
  [MailKind.URGENT_EVENT]: 'care-circle',
  [MailKind.POSTMASTER]: 'inbox',
  [MailKind.ALARM]: 'auth',
  [MailKind.CALENDAR_ADDRESS]: 'care-circle',
  [MailKind.EMERGENCY_LINK]: 'care-circle',
}

export const MAIL_STREAM = 'OUTGOING_MAIL'
export const MAIL_SUBJECTS = 'mail.send.>'

const DUPLICATE_WINDOW_MS = 10 * 60_000

export function ensureMailStream(connection: NatsConnection, replicas: number): Promise<void> {
  return ensureWorkQueue(connection, {
    name: MAIL_STREAM,
    subjects: MAIL_SUBJECTS,
    replicas,
    duplicateWindowMs: DUPLICATE_WINDOW_MS,
  })
}
