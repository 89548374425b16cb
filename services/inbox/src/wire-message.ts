import { type Attachment, Category, type MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail } from '@family-inbox/service-kit/text/text-rules'
import { senderVerdict } from './authenticity/sender-verdict.ts'
import type { AttachmentMeta } from './mail/parsed-message.ts'
import { type Message, messageIdOf } from './models/message.ts'
import { RECIPIENT_FIELDS, resolveReplyTo } from './outgoing/reply-recipient.ts'

/** All that a list reads. */
export const SUMMARY_FIELDS = {
  subject: 1,
  ...RECIPIENT_FIELDS,
  forwardedByMember: 1,
  authenticity: 1,
  category: 1,
  preview: 1,
  receivedAt: 1,
  attachmentCount: 1,
} as const

export const PENDING_AUTHENTICITY = { spf: 'pending', dkim: 'pending', dmarc: 'pending', arc: 'pending' }

export type SummaryRow = Pick<Message, '_id' | keyof typeof SUMMARY_FIELDS>

const CATEGORIES: Record<Message['category'], Category> = {
  appointment: Category.APPOINTMENT,
  results: Category.RESULTS,
  medication: Category.MEDICATION,
  billing: Category.BILLING,
  insurance: Category.INSURANCE,
  care_plan: Category.CARE_PLAN,
  automated: Category.AUTOMATED,
  other: Category.OTHER,
}

export function fromWireCategory(wire: Category): Message['category'] | undefined {
  const found = Object.entries(CATEGORIES).find(([, one]) => one === wire)
  return found?.[0] as Message['category'] | undefined
}

export function toSummary(row: SummaryRow): MessageSummary {
  const replyTo = resolveReplyTo(row)
  return {
    id: messageIdOf(row),
    subject: row.subject,
    sender: row.from,
    originalSender: row.originalSender,
    originalVerified: row.forwardedByMember ?? false,
    category: CATEGORIES[row.category],
    preview: row.preview,
    receivedAt: row.receivedAt,
    attachmentCount: row.attachmentCount,
    ...(replyTo !== undefined && replyTo !== foldEmail(row.from.address) && { replyTo }),
    verdict: senderVerdict(row),
  }
}

export function toWireAttachment({ filename, contentType, size, inline }: AttachmentMeta): Attachment {
  return { filename, contentType, size, inline }
}

/** The same whether or not the message is in another inbox. */
export function messageNotFound(): StatusError {
  const message = 'No message with this messageId in this loved one’s inbox.'
  return new StatusError('NOT_FOUND', message, { field: 'messageId' })
}
