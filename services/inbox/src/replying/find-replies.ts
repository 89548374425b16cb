import { type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { SentReply } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { publicIdOf } from '../models/message.ts'
import { mailIdsOf, type Reply } from '../models/reply.ts'
import { findDeliveries } from '../sending/find-deliveries.ts'
import { toWireSentFile } from './reply-files.ts'

const MAX_REPLIES = 100

/** What was sent from these messages, oldest first, with the delivery of each mail. */
export async function findReplies(ctx: Context, messageRowIds: string[]): Promise<SentReply[]> {
  const rows = await ctx.replies
    .find({ messageRowId: { $in: messageRowIds }, deletedAt: null })
    .sort({ createdAt: 1 })
    .limit(MAX_REPLIES)
    .lean()
  return toWire(ctx, rows)
}

/** Those that the reader can put back, deleted last first: their own, and for the owner all. */
export async function findDeletedReplies(
  ctx: Context,
  messageRowIds: string[],
  { personId, role }: Pick<Membership, 'personId' | 'role'>,
): Promise<SentReply[]> {
  const rows = await ctx.replies
    .find({
      messageRowId: { $in: messageRowIds },
      purgeAt: { $gt: new Date() },
      ...(role !== Role.OWNER && { personId }),
    })
    .sort({ deletedAt: -1 })
    .limit(MAX_REPLIES)
    .lean()
  return toWire(ctx, rows)
}

async function toWire(ctx: Context, rows: Reply[]): Promise<SentReply[]> {
  const mails = rows.flatMap((row) => mailIdsOf(row).map((_id) => ({ _id, queuedAt: row.mailQueuedAt })))
  const deliveryOf = await findDeliveries(ctx, mails)
  return rows.map(({ _id, to, cc = [], attachments, forward, opening, ...row }) => {
    const { personId, name, assistant, approvedBy, byMail, body, footer } = row
    const [, ...copyIds] = mailIdsOf({ _id, cc })
    const deliveryOfMail = (id: string) => deliveryOf({ _id: id, queuedAt: row.mailQueuedAt })
    return {
      id: _id,
      personId,
      name,
      assistant,
      approvedBy,
      byMail,
      to,
      body,
      footer,
      ...(attachments && { attachments: { files: attachments.map(toWireSentFile) } }),
      ...(opening && { opening: true }),
      ...(forward && { forwarded: { files: forward.withFiles, original: forward.withOriginal } }),
      sentAt: row.createdAt,
      delivery: deliveryOfMail(_id),
      copies: cc.map((address, index) => ({ to: address, delivery: deliveryOfMail(copyIds[index] ?? '') })),
      messageId: publicIdOf({ _id: row.messageRowId }),
      undoUntil: row.heldUntil,
    }
  })
}
