import { toMailName } from '@family-inbox/outgoing-mail/mail-name'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import type { Message } from '../models/message.ts'
import type { Reply } from '../models/reply.ts'

export type RepliedMessage = Pick<Message, 'subject' | 'messageIdHeader' | 'references'>

const MAX_REFERENCES = 20

/**
 * The mail of a reply: in the conversation of the message it answers (RFC 5322 section 3.6.4), its answers going to the
 * loved one's inbox.
 * @param inboxAddress where answers go
 */
export function replyMail(reply: Reply, message: RepliedMessage, inboxAddress: string): OutgoingMail {
  const parent = message.messageIdHeader ?? ''
  return {
    id: reply._id,
    kind: MailKind.REPLY,
    workspaceId: reply.workspaceId,
    toAddress: reply.to,
    toName: '',
    fromName: toMailName(reply.name),
    replyTo: inboxAddress,
    subject: /^re:/i.test(message.subject) ? message.subject : `Re: ${message.subject}`,
    text: reply.body,
    actionLabel: '',
    actionUrl: '',
    inReplyTo: parent,
    references: parent === '' ? [] : [...message.references, parent].slice(-MAX_REFERENCES),
  }
}
