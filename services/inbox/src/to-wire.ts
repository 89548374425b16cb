import type { Authenticity } from '@family-inbox/mail-reader/authenticity/authenticity'
import { senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { withoutForwardPrefix } from '@family-inbox/mail-reader/mime/subject-prefix'
import {
  type Attachment,
  Category,
  type ConversationState,
  DeliveryState,
  type MessageSummary,
  SenderCheck,
  SenderVerdict,
  type Authenticity as WireAuthenticity,
} from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from './context.ts'
import { mayHaveExpired } from './deleting/expire-mail.ts'
import type { Delivery } from './models/delivery.ts'
import type { OwnAddresses } from './models/inbox-address.ts'
import { type Message, messageIdOf } from './models/message.ts'
import { RECIPIENT_FIELDS, replyMailbox, resolveReplyTo } from './replying/reply-recipient.ts'

export const SUMMARY_FIELDS = {
  subject: 1,
  ...RECIPIENT_FIELDS,
  forwardedByMember: 1,
  category: 1,
  preview: 1,
  receivedAt: 1,
  attachmentCount: 1,
  conversationId: 1,
  opensConversation: 1,
} as const

/** With what get_inbox_message shows of it besides. */
export const READ_FIELDS = { ...SUMMARY_FIELDS, text: 1, truncated: 1, attachments: 1, proposed: 1 } as const

const PENDING = { spf: 'pending', dkim: 'pending', dmarc: 'pending', arc: 'pending' }

export type SummaryRow = Pick<Message, '_id' | keyof typeof SUMMARY_FIELDS>
export type ReadRow = Pick<Message, '_id' | keyof typeof READ_FIELDS>

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

/** @param state of its conversation */
export function toSummary(row: SummaryRow, own: OwnAddresses, state?: ConversationState): MessageSummary {
  const check = senderCheck(row.authenticity)
  return {
    id: messageIdOf(row),
    subject: row.forwardedByMember ? withoutForwardPrefix(row.subject) : row.subject,
    sender: row.from,
    originalSender: row.originalSender,
    originalVerified: row.forwardedByMember ?? false,
    category: CATEGORIES[row.category],
    preview: row.preview,
    receivedAt: row.receivedAt,
    attachmentCount: row.attachmentCount,
    replyTo: findOtherReplyTo(row, own),
    verdict: VERDICTS[check],
    check,
    state,
  }
}

const VERDICTS: Record<SenderCheck, SenderVerdict> = {
  [SenderCheck.VERIFIED]: SenderVerdict.VERIFIED,
  [SenderCheck.NOT_VERIFIED]: SenderVerdict.NOT_VERIFIED,
  [SenderCheck.FAILED]: SenderVerdict.NOT_VERIFIED,
  [SenderCheck.IMPOSSIBLE]: SenderVerdict.UNSPECIFIED,
  [SenderCheck.UNSPECIFIED]: SenderVerdict.UNSPECIFIED,
  [SenderCheck.UNRECOGNIZED]: SenderVerdict.UNSPECIFIED,
}

export function toWireAuthenticity(result: Authenticity | undefined): WireAuthenticity {
  if (result === undefined) return PENDING
  const { spf, dkim, dmarc, arc, aligned, arcSealers } = result
  return { spf, dkim, dmarc, arc, aligned, sealedBy: arcSealers?.join(', ') }
}

/** Where a reply would go, unless that is the sender. */
function findOtherReplyTo(row: SummaryRow, own: OwnAddresses): string | undefined {
  // Most mail; checking addresses was a twentieth of the time of a list.
  if (replyMailbox(row, own)?.address === row.from.address) return undefined
  const replyTo = resolveReplyTo(row, own)
  return replyTo === foldEmail(row.from.address) ? undefined : replyTo
}

export function toWireAttachment({ filename, contentType, size, inline }: AttachmentMeta): Attachment {
  return { filename, contentType, size, inline }
}

/** The same whether or not the message is in another inbox. */
export function messageNotFound(): StatusError {
  const message = 'No message with this messageId in this loved one’s inbox.'
  return new StatusError('NOT_FOUND', message, { field: 'messageId' })
}

const STATES: Record<Delivery['state'], DeliveryState> = {
  queued: DeliveryState.QUEUED,
  handing_over: DeliveryState.QUEUED,
  sent: DeliveryState.SENT,
  failed: DeliveryState.FAILED,
  unknown: DeliveryState.UNKNOWN,
}

/** `queuedAt` is absent until the mail is certain to be queued. */
type QueuedMail = { _id: string; queuedAt?: Date }

/** Without a record, a new mail is still queued, and an old one was sent: only those records expire. */
export function toWireDelivery(
  state: Delivery['state'] | undefined,
  { queuedAt }: Pick<QueuedMail, 'queuedAt'>,
): DeliveryState {
  if (state !== undefined) return STATES[state]
  return queuedAt !== undefined && mayHaveExpired(queuedAt) ? DeliveryState.SENT : DeliveryState.QUEUED
}

export async function findDeliveries(
  { deliveries }: Pick<Context, 'deliveries'>,
  mails: QueuedMail[],
): Promise<(mail: QueuedMail) => DeliveryState> {
  const ids = mails.map(({ _id }) => _id)
  const rows = ids.length === 0 ? [] : await deliveries.find({ _id: { $in: ids } }, { state: 1 }).lean()
  const stateOf = new Map(rows.map(({ _id, state }) => [_id, state]))
  return (mail) => toWireDelivery(stateOf.get(mail._id), mail)
}
