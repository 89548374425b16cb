import { senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { withoutForwardPrefix } from '@family-inbox/mail-reader/mime/subject-prefix'
import type { SensitiveAsk } from '@family-inbox/mail-reader/text/sensitive-asks'
import {
  type Attachment,
  Category,
  type ConversationState,
  type MessageSummary,
  SenderCheck,
  SenderVerdict,
  SensitiveAsk as WireAsk,
  type Authenticity as WireAuthenticity,
} from '@family-inbox/proto/inbox/v1/inbox'
import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { type Message, publicIdOf } from '../models/message.ts'
import type { SummaryRow } from '../models/message-summary.ts'
import { replyMailbox, resolveReplyTo } from '../models/reply-to.ts'
import type { OwnAddresses } from '../own-address.ts'

type Checked = Pick<Message, 'authenticity' | 'ownReplyId'>

/** Written here, so there is no mail to check. */
const OWN = { spf: 'none', dkim: 'none', dmarc: 'none', arc: 'none', aligned: true }
const PENDING = { spf: 'pending', dkim: 'pending', dmarc: 'pending', arc: 'pending' }

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

const ASKS: Record<SensitiveAsk, WireAsk> = {
  money: WireAsk.MONEY,
  gift_cards: WireAsk.GIFT_CARDS,
  password: WireAsk.PASSWORD,
  identity_number: WireAsk.IDENTITY_NUMBER,
  account_number: WireAsk.ACCOUNT_NUMBER,
}

export function fromWireCategory(wire: Category | undefined): Message['category'] | undefined {
  const found = Object.entries(CATEGORIES).find(([, one]) => one === wire)
  return found?.[0] as Message['category'] | undefined
}

/** @param state of its conversation */
export function toSummary(row: SummaryRow, own: OwnAddresses, state?: ConversationState): MessageSummary {
  const check = row.ownReplyId === undefined ? senderCheck(row.authenticity) : SenderCheck.VERIFIED
  return {
    id: publicIdOf(row),
    subject: row.forwardedByMember ? withoutForwardPrefix(row.subject) : row.subject,
    sender: row.from,
    originalSender: row.originalSender,
    originalVerified: row.forwardedByMember ?? false,
    category: CATEGORIES[row.category],
    asksFor: (row.asksFor ?? []).map((ask) => ASKS[ask]),
    preview: row.preview,
    receivedAt: row.receivedAt,
    attachmentCount: row.attachmentCount,
    replyTo: findOtherReplyTo(row, own),
    verdict: VERDICTS[check],
    check,
    state,
    ...(row.ownReplyId !== undefined && { writtenTo: row.replyTo }),
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

export function toWireAuthenticity({ authenticity, ownReplyId }: Checked): WireAuthenticity {
  if (ownReplyId !== undefined) return OWN
  if (authenticity === undefined) return PENDING
  const { spf, dkim, dmarc, arc, aligned, arcSealers } = authenticity
  return { spf, dkim, dmarc, arc, aligned, sealedBy: arcSealers?.join(', ') }
}

/** Where a reply would go, unless that is the sender. */
function findOtherReplyTo(row: SummaryRow, own: OwnAddresses): string | undefined {
  // Most mail; checking addresses was a third of the time of a summary.
  if (replyMailbox(row, own)?.address === row.from.address) return undefined
  const replyTo = resolveReplyTo(row, own)
  return replyTo === foldEmail(row.from.address) ? undefined : replyTo
}

export function toWireAttachment({ filename, contentType, size, inline }: AttachmentMeta): Attachment {
  return { filename, contentType, size, inline }
}

export function toWireConfirmation({
  provider,
  code = '',
  link = '',
}: NonNullable<Message['forwardingConfirmation']>): { provider: string; code: string; link: string } {
  return { provider, code, link }
}
