import type { Mailbox, ParsedMessage } from './parsed-message.ts'

/**
 * Where an answer to a message goes: to who wrote it, not to the family member who forwarded it, and to the Reply-To when
 * there is one (RFC 5322 3.6.2). Undefined when the mail names nobody.
 */
export function answerAddress(
  message: Pick<ParsedMessage, 'from' | 'replyTo' | 'originalSender' | 'originalReplyTo'>,
): Mailbox | undefined {
  const { from, replyTo, originalSender, originalReplyTo } = message
  const recipient = originalSender ? (originalReplyTo ?? originalSender) : (replyTo ?? from)
  return recipient.address ? recipient : undefined
}
