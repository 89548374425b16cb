import { type MessageSummary, SenderVerdict } from '@family-inbox/proto/inbox/v1/inbox'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'
import { time } from './fields.ts'
import { categoryName, formatMailbox } from './wire-names.ts'

/** The fields of a message wherever it appears (SPEC "Inbox message"). */
export const messageFields = {
  id: z.string(),
  subject: z.string(),
  sender: z.string(),
  originalSender: z.string().optional(),
  originalSenderVerified: z.boolean().optional(),
  authenticity: z.enum(['verified', 'not_verified', 'unknown']),
  replyTo: z.string().optional(),
  category: z.string(),
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

export const MESSAGE_FIELDS_OF_SENDERS = ['subject', 'sender', 'originalSender', 'replyTo', 'preview']
