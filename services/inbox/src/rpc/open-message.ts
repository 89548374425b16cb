import type { AttachmentMeta } from '@family-inbox/mail-reader/mime/attachments'
import { previewKind } from '@family-inbox/mail-reader/preview/preview-kind'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type {
  Attachment,
  ConversationMessage,
  OpenMessageRequest,
  OpenMessageResponse,
  ReadBy,
  SentReply,
} from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { cut } from '@family-inbox/service-kit/text/cut'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { findReminders } from '../conversations/find-reminders.ts'
import { findNotes } from '../conversations/notes.ts'
import { findMembers } from '../finding/find-conversations.ts'
import { findStates } from '../finding/find-statuses.ts'
import { findWatermarks, markRead } from '../finding/read-state.ts'
import { toSummary, toWireAttachment, toWireAuthenticity, toWireConfirmation } from '../finding/to-summary.ts'
import { findUnread } from '../finding/unread.ts'
import { draftId } from '../models/draft.ts'
import { conversationOf, type Message, messageNotFound, messageRowId, publicIdOf } from '../models/message.ts'
import { SUMMARY_FIELDS, type SummaryRow } from '../models/message-summary.ts'
import type { Reader } from '../models/read-watermark.ts'
import { replyFooterId } from '../models/reply-footer.ts'
import { explainNoRecipient, resolveReplyTo } from '../models/reply-to.ts'
import { readDrafts } from '../replying/drafts.ts'
import { toWireSentFile } from '../replying/reply-files.ts'
import { toWireProposal } from '../replying/reply-proposals.ts'
import { leadsToMember, withMembership } from '../replying/reply-recipient.ts'
import { findDeliveries } from '../sending/find-deliveries.ts'

const MAX_REPLIES = 100
/** The limit for a conversation; older messages are found by search. */
const MAX_OTHERS = 100
/** As much as tools get. The message on its own page has all. */
const MAX_OTHER_BODY = 8000

const FIELDS = {
  ...SUMMARY_FIELDS,
  workspaceId: 1,
  lovedOneId: 1,
  to: 1,
  forwarded: 1,
  text: 1,
  truncated: 1,
  hasMarkup: 1,
  textConverted: 1,
  attachments: 1,
  forwardingConfirmation: 1,
  sentAt: 1,
  proposed: 1,
} as const

type Row = SummaryRow & Pick<Message, keyof typeof FIELDS>

export function openMessage(ctx: Context): Handler<OpenMessageRequest, OpenMessageResponse> {
  return async ({ messageId, lovedOneId, markRead: isRead }, call) => {
    const { workspaceId, personId, role } = await ctx.requireMember(call, { lovedOneId })
    const row = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), FIELDS).lean<Row>()
    if (row === null) throw messageNotFound()
    const reader = { personId, workspaceId }
    const [others, readBy, drafts, footer] = await Promise.all([
      findOthers(ctx, reader, row),
      findReaders(ctx, row._id, personId),
      readDrafts(ctx, row._id, personId),
      ctx.replyFooters.findById(replyFooterId(workspaceId, lovedOneId)).lean(),
    ])
    const all = [row._id, ...others.rows.map(({ _id }) => _id)]
    const [replies, notes, reminders, stateOf] = await Promise.all([
      findReplies(ctx, all),
      findNotes(ctx, all),
      findReminders(ctx, all),
      findStates(ctx, [row]),
    ])
    const proposals = row.proposed && role !== Role.VIEWER ? await findWaiting(ctx, row._id) : []
    const replied = await withMembership(ctx, workspaceId, row)
    const replyTo = resolveReplyTo(replied, ctx.config) ?? ''
    if (isRead) await markAllRead(ctx, reader, [row, ...others.rows.filter(({ _id }) => others.unread.has(_id))])
    return {
      message: toSummary(replied, ctx.config, stateOf(row)),
      conversationId: conversationOf(row),
      to: row.to,
      replyTo,
      replyToMember: await leadsToMember(ctx, workspaceId, row, replyTo),
      replyRefusal: replyTo === '' ? explainNoRecipient(replied, ctx.config) : '',
      body: row.text,
      bodyTruncated: row.truncated,
      hasMarkup: row.hasMarkup ?? false,
      showLayoutFirst: row.textConverted ?? false,
      attachments: row.attachments.map(toShownAttachment),
      authenticity: toWireAuthenticity(row.authenticity),
      forwardingConfirmation: row.forwardingConfirmation && toWireConfirmation(row.forwardingConfirmation),
      sentAt: row.sentAt,
      others: others.rows.map((one) => toConversationMessage(ctx, one, others)),
      replies,
      notes,
      reminders,
      readBy,
      ...drafts,
      replyFooter: footer?.text,
      proposals: proposals.map((proposal) => toWireProposal(proposal)),
    }
  }
}

function findWaiting(ctx: Context, messageRowId: string) {
  return ctx.replyProposals
    .find({ messageRowId, ...waitingProposals() })
    .sort({ createdAt: 1 })
    .lean()
}

function toShownAttachment(meta: AttachmentMeta): Attachment {
  return { ...toWireAttachment(meta), preview: previewKind(meta), embedded: meta.embedded }
}

async function findReaders(ctx: Context, messageRowId: string, personId: string): Promise<ReadBy[]> {
  const marks = await ctx.readMarks
    .find({ messageRowId, readAt: { $exists: true }, personId: { $ne: personId } }, { personId: 1, readAt: 1 })
    .sort({ readAt: 1 })
    .lean()
  return marks.map((mark) => ({ personId: mark.personId, readAt: mark.readAt }))
}

async function findReplies(ctx: Context, messageRowIds: string[]): Promise<SentReply[]> {
  const rows = await ctx.replies
    .find({ messageRowId: { $in: messageRowIds } })
    .sort({ createdAt: 1 })
    .limit(MAX_REPLIES)
    .lean()
  const deliveryOf = await findDeliveries(
    ctx,
    rows.map(({ _id, mailQueuedAt }) => ({ _id, queuedAt: mailQueuedAt })),
  )
  return rows.map(({ _id, personId, name, assistant, approvedBy, to, body, footer, attachments, ...row }) => ({
    id: _id,
    personId,
    name,
    assistant,
    approvedBy,
    to,
    body,
    footer,
    ...(attachments && { attachments: { files: attachments.map(toWireSentFile) } }),
    sentAt: row.createdAt,
    delivery: deliveryOf({ _id, queuedAt: row.mailQueuedAt }),
    messageId: publicIdOf({ _id: row.messageRowId }),
    undoUntil: row.heldUntil,
  }))
}

const OTHER_FIELDS = {
  ...SUMMARY_FIELDS,
  workspaceId: 1,
  lovedOneId: 1,
  text: 1,
  truncated: 1,
  attachments: 1,
  forwardingConfirmation: 1,
} as const

type OtherRow = SummaryRow & Pick<Message, keyof typeof OTHER_FIELDS>
type Others = { rows: OtherRow[]; unread: ReadonlySet<string>; drafts: ReadonlySet<string> }

/** The other messages of the conversation, oldest first, with the reader's state of them. */
async function findOthers(ctx: Context, reader: Reader, row: Row): Promise<Others> {
  const { workspaceId, lovedOneId } = row
  const grouped = await findMembers(ctx, { workspaceId, lovedOneIds: [lovedOneId] }, [row])
  const members = [...grouped.values()].flat().filter(({ _id }) => _id !== row._id)
  if (members.length === 0) return { rows: [], unread: new Set(), drafts: new Set() }
  const ids = members.slice(0, MAX_OTHERS).map(({ _id }) => _id)
  const watermarks = await findWatermarks(ctx, reader, [lovedOneId])
  const [rows, unread, drafts] = await Promise.all([
    ctx.messages
      .find({ _id: { $in: ids } }, OTHER_FIELDS)
      .sort({ receivedAt: 1, _id: 1 })
      .lean<OtherRow[]>(),
    findUnread(ctx, reader, watermarks, members),
    ctx.drafts.distinct('messageRowId', { _id: { $in: ids.map((id) => draftId(reader.personId, id)) } }),
  ])
  return { rows, unread, drafts: new Set(drafts) }
}

function toConversationMessage({ config }: Context, row: OtherRow, { unread, drafts }: Others): ConversationMessage {
  const { _id, text, truncated, attachments, forwardingConfirmation } = row
  return {
    message: toSummary(row, config),
    body: cut(text, MAX_OTHER_BODY),
    bodyTruncated: truncated || text.length > MAX_OTHER_BODY,
    attachments: attachments.map(toShownAttachment),
    unread: unread.has(_id),
    hasDraft: drafts.has(_id),
    forwardingConfirmation: forwardingConfirmation !== undefined,
    authenticity: toWireAuthenticity(row.authenticity),
  }
}

async function markAllRead(ctx: Context, reader: Reader, rows: Parameters<typeof markRead>[2][]): Promise<void> {
  for (const row of rows) await markRead(ctx, reader, row)
}
