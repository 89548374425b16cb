import { Category, type MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { type Message, messageIdOf } from './models/message.ts'

/** What a summary is made of; a list reads nothing else. */
export const SUMMARY_FIELDS = {
  subject: 1,
  from: 1,
  originalSender: 1,
  category: 1,
  preview: 1,
  receivedAt: 1,
  attachmentCount: 1,
} as const

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

/** A message as a list shows it. */
export function toSummary(row: SummaryRow): MessageSummary {
  return {
    id: messageIdOf(row),
    subject: row.subject,
    sender: row.from,
    originalSender: row.originalSender,
    category: CATEGORIES[row.category],
    preview: row.preview,
    receivedAt: row.receivedAt,
    attachmentCount: row.attachmentCount,
  }
}
