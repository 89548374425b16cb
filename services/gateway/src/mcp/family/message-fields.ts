import type { MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { PREVIEW_CHARACTERS } from '@family-inbox/tool-catalogue/limits'
import { z } from 'zod'
import { time } from './fields.ts'
import { categoryWord, mailboxText } from './words.ts'

/** What is said of a message wherever it appears (SPEC "Inbox message"). */
export const messageFields = {
  id: z.string().describe('Pass it as messageId.'),
  subject: z.string(),
  sender: z.string().describe('Name and address of whoever sent it here.'),
  originalSender: z.string().optional().describe('Who wrote it first, as the forwarded message says.'),
  originalSenderVerified: z
    .boolean()
    .optional()
    .describe(
      'Whether a member of the family forwarded it, which was checked. When false, originalSender may be made up.',
    ),
  category: z.enum(['appointment', 'results', 'medication', 'billing', 'insurance', 'care_plan', 'automated', 'other']),
  preview: z.string().max(PREVIEW_CHARACTERS),
  receivedAt: time,
  attachmentCount: z.int().min(0),
}

export function toMessageFields(message: MessageSummary) {
  const { id, subject, sender, originalSender, category, preview, receivedAt, attachmentCount } = message
  const { originalVerified = false } = message
  return {
    id,
    subject,
    sender: mailboxText(sender),
    ...(originalSender !== undefined && {
      originalSender: mailboxText(originalSender),
      originalSenderVerified: originalVerified,
    }),
    category: categoryWord[category],
    preview,
    receivedAt: receivedAt?.toISOString() ?? '',
    attachmentCount,
  }
}
