import { type MessageSummary, SenderVerdict } from '@family-inbox/proto/inbox/v1/inbox'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
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
  authenticity: z.enum(['verified', 'not_verified', 'unknown']).describe('Whether DMARC proves the sender.'),
  replyTo: z.string().optional().describe('Where a reply goes, when that is not the sender.'),
  category: z.enum(['appointment', 'results', 'medication', 'billing', 'insurance', 'care_plan', 'automated', 'other']),
  preview: z.string().max(PREVIEW_CHARACTERS),
  receivedAt: time,
  attachmentCount: z.int().min(0),
}

export function toMessageFields(message: MessageSummary) {
  const {
    id,
    subject,
    sender,
    originalSender,
    originalVerified = false,
    replyTo,
    verdict = SenderVerdict.UNSPECIFIED,
    category,
    preview,
    receivedAt,
    attachmentCount,
  } = message
  return {
    id,
    subject,
    sender: mailboxText(sender),
    ...(originalSender !== undefined && {
      originalSender: mailboxText(originalSender),
      originalSenderVerified: originalVerified,
    }),
    authenticity: verdictWord[verdict],
    ...(replyTo !== undefined && { replyTo }),
    category: categoryWord[category],
    preview,
    receivedAt: receivedAt?.toISOString() ?? '',
    attachmentCount,
  }
}

const verdictWord = {
  [SenderVerdict.VERIFIED]: 'verified',
  [SenderVerdict.NOT_VERIFIED]: 'not_verified',
  [SenderVerdict.UNSPECIFIED]: 'unknown',
  [SenderVerdict.UNRECOGNIZED]: 'unknown',
} as const satisfies Record<SenderVerdict, string>

/** What of a message its sender wrote, as the fields are called. */
export const MESSAGE_FIELDS_OF_SENDERS = ['subject', 'sender', 'originalSender', 'replyTo', 'preview']
