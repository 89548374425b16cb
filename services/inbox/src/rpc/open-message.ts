import type { OpenMessageRequest, OpenMessageResponse, ReadBy, SentReply } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { type Message, messageIdOf, messageRowId } from '../models/message.ts'
import { resolveReplyTo } from '../outgoing/reply-recipient.ts'
import { readDrafts } from '../reading/drafts.ts'
import { markRead } from '../reading/read-state.ts'
import { findRelated } from '../search/conversations.ts'
import {
  findDeliveries,
  messageNotFound,
  PENDING_AUTHENTICITY,
  SUMMARY_FIELDS,
  type SummaryRow,
  toSummary,
  toWireAttachment,
} from '../to-wire.ts'

const MAX_REPLIES = 100

const FIELDS = {
  ...SUMMARY_FIELDS,
  workspaceId: 1,
  lovedOneId: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  to: 1,
  text: 1,
  truncated: 1,
  hasMarkup: 1,
  textConverted: 1,
  attachments: 1,
  forwardingConfirmation: 1,
  sentAt: 1,
} as const

type Row = SummaryRow & Pick<Message, keyof typeof FIELDS>

export function openMessage(ctx: Context): Handler<OpenMessageRequest, OpenMessageResponse> {
  return async ({ messageId, lovedOneId, markRead: isRead }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call, { lovedOneId })
    const row = await ctx.messages.findById(messageRowId({ workspaceId, lovedOneId }, messageId), FIELDS).lean<Row>()
    if (row === null) throw messageNotFound()
    const [thread, readBy, drafts] = await Promise.all([
      findConversation(ctx, row),
      findReaders(ctx, row._id, personId),
      readDrafts(ctx, row._id, personId),
      isRead && markRead(ctx, { personId, workspaceId }, row),
    ])
    const replies = await findReplies(ctx, [row._id, ...thread.map(({ _id }) => _id)])
    return {
      message: toSummary(row),
      to: row.to,
      replyTo: resolveReplyTo(row) ?? '',
      body: row.text,
      bodyTruncated: row.truncated,
      hasMarkup: row.hasMarkup ?? false,
      showLayoutFirst: row.textConverted ?? false,
      attachments: row.attachments.map(toWireAttachment),
      authenticity: row.authenticity ?? PENDING_AUTHENTICITY,
      forwardingConfirmation: row.forwardingConfirmation && toWireConfirmation(row.forwardingConfirmation),
      sentAt: row.sentAt,
      thread: thread.map(toSummary),
      replies,
      readBy,
      ...drafts,
    }
  }
}

export function toWireConfirmation({
  provider,
  code = '',
  link = '',
}: NonNullable<Message['forwardingConfirmation']>): { provider: string; code: string; link: string } {
  return { provider, code, link }
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
  return rows.map(({ _id, personId, name, assistant, to, body, createdAt, messageRowId, mailQueuedAt, heldUntil }) => ({
    id: _id,
    personId,
    name,
    assistant,
    to,
    body,
    sentAt: createdAt,
    delivery: deliveryOf({ _id, queuedAt: mailQueuedAt }),
    messageId: messageIdOf({ _id: messageRowId }),
    undoUntil: heldUntil,
  }))
}

/** Other messages of the conversation, oldest first. */
async function findConversation(ctx: Context, row: Row): Promise<SummaryRow[]> {
  const ids = await findRelated(ctx.indexEntries, row)
  if (ids.length === 0) return []
  return ctx.messages
    .find({ _id: { $in: ids } }, SUMMARY_FIELDS)
    .sort({ receivedAt: 1, _id: 1 })
    .lean<SummaryRow[]>()
}
