import { type MessageSummary, SenderVerdict } from '@family-inbox/proto/inbox/v1/inbox'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'
import { time } from './fields.ts'
import { categoryName, formatMailbox } from './wire-names.ts'

/** The fields of a message wherever it appears (SPEC "Inbox message"). */
export const messageFields = {
  id: z.string().describe('Pass this as messageId.'),
  subject: z.string(),
  sender: z.string().describe('Name and address of the sender.'),
  originalSender: z.string().optional().describe('The first author, according to the forwarded message.'),
  originalSenderVerified: z
    .boolean()
    .optional()
    .describe('Whether a family member provably forwarded it. When false, originalSender may be made up.'),
  authenticity: z.enum(['verified', 'not_verified', 'unknown']).describe('Whether DMARC confirms the sender.'),
  replyTo: z.string().optional().describe('Where a reply goes, if not to the sender.'),
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
    sender: formatMailbox(sender),
    ...(originalSender !== undefined && {
      originalSender: formatMailbox(originalSender),
      originalSenderVerified: originalVerified,
    }),
    authenticity: verdictName[verdict],
    ...(replyTo !== undefined && { replyTo }),
    category: categoryName[category],
    preview,
    receivedAt: receivedAt?.toISOString() ?? '',
    attachmentCount,
  }
}

const verdictName = {
  [SenderVerdict.VERIFIED]: 'verified',
  [SenderVerdict.NOT_VERIFIED]: 'not_verified',
  [SenderVerdict.UNSPECIFIED]: 'unknown',
  [SenderVerdict.UNRECOGNIZED]: 'unknown',
} as const satisfies Record<SenderVerdict, string>

/** Fields whose text the sender wrote. */
export const MESSAGE_FIELDS_OF_SENDERS = ['subject', 'sender', 'originalSender', 'replyTo', 'preview']
