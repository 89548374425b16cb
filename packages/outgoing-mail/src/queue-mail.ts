import { MailKind, OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { publishDurably } from '@family-inbox/service-kit/nats'
import type { JetStreamClient } from 'nats'

const KIND_SUBJECT: Record<MailKind, string> = {
  [MailKind.SIGN_IN_CODE]: 'sign-in-code',
  [MailKind.INVITATION]: 'invitation',
  [MailKind.REPLY]: 'reply',
  [MailKind.TEST]: 'test',
  [MailKind.NEW_MAIL]: 'new-mail',
  [MailKind.UNSPECIFIED]: 'other',
  [MailKind.UNRECOGNIZED]: 'other',
}

/**
 * Puts a mail into the queue and returns when it is on disk there. Queueing the same id again is the same mail: the queue
 * drops it within its duplicate window, and the sender knows it for good by its delivery record.
 * @throws when NATS is not reachable within 1.5 s; the mail may be queued all the same, so try again with the same id
 */
export function queueMail(stream: JetStreamClient, mail: OutgoingMail): Promise<void> {
  return publishDurably(stream, `mail.send.${KIND_SUBJECT[mail.kind]}`, mail.id, OutgoingMail.encode(mail).finish())
}
