import { type ConversationState, type MessageSummary, SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { z } from 'zod'
import { time } from './fields.ts'
import { categoryName, conversationStatusName, formatMailbox } from './wire-names.ts'

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
  status: z.string().optional(),
  assignedTo: z.string().optional(),
}

/** JSON leaves out what is undefined. V8 sets each field after a spread one by one: a twentieth of the gateway's time for a list. */
export function toMessageFields(message: MessageSummary) {
  const {
    id,
    subject,
    sender,
    originalSender,
    originalVerified = false,
    replyTo,
    check = SenderCheck.UNSPECIFIED,
    category,
    preview,
    receivedAt,
    attachmentCount,
    state,
  } = message
  return {
    id,
    subject,
    sender: formatMailbox(sender),
    originalSender: originalSender && formatMailbox(originalSender),
    originalSenderVerified: originalSender && originalVerified,
    authenticity: checkName[check],
    replyTo,
    category: categoryName[category],
    preview,
    receivedAt: receivedAt?.toISOString() ?? '',
    attachmentCount,
    ...(state && toStatusFields(state)),
  }
}

function toStatusFields({ status, assigneeName }: ConversationState) {
  return { status: conversationStatusName[status], ...(assigneeName !== '' && { assignedTo: assigneeName }) }
}

export const checkName = {
  [SenderCheck.VERIFIED]: 'verified',
  [SenderCheck.NOT_VERIFIED]: 'not_verified',
  [SenderCheck.FAILED]: 'not_verified',
  [SenderCheck.IMPOSSIBLE]: 'unknown',
  [SenderCheck.UNSPECIFIED]: 'unknown',
  [SenderCheck.UNRECOGNIZED]: 'unknown',
} as const satisfies Record<SenderCheck, string>

export const MESSAGE_FIELDS_OF_SENDERS = ['subject', 'sender', 'originalSender', 'replyTo', 'preview']
