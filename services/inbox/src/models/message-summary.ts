import type { Message } from './message.ts'
import { RECIPIENT_FIELDS } from './reply-to.ts'

export const SUMMARY_FIELDS = {
  subject: 1,
  ...RECIPIENT_FIELDS,
  forwardedByMember: 1,
  category: 1,
  asksFor: 1,
  preview: 1,
  receivedAt: 1,
  attachmentCount: 1,
  conversationId: 1,
  opensConversation: 1,
  ownReplyId: 1,
} as const

export const READ_FIELDS = { ...SUMMARY_FIELDS, text: 1, truncated: 1, attachments: 1, proposed: 1 } as const

export type SummaryRow = Pick<Message, '_id' | keyof typeof SUMMARY_FIELDS>

export type ReadRow = Pick<Message, '_id' | keyof typeof READ_FIELDS>
