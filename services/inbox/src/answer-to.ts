import { requireEmail } from '@family-inbox/service-kit/text-rules'
import { answerAddress } from './mail/answer-address.ts'
import type { Message } from './models/message.ts'

/** What of a message says where an answer goes. */
export const ANSWER_FIELDS = { from: 1, replyTo: 1, originalSender: 1, originalReplyTo: 1 } as const

/** The address an answer to a message goes to: who wrote it, or where they want answers. Undefined when it names nobody. */
export function answerTo(row: Pick<Message, keyof typeof ANSWER_FIELDS>): string | undefined {
  try {
    return requireEmail('messageId', answerAddress(row)?.address ?? '')
  } catch {
    return undefined
  }
}
