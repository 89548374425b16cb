import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { IN_PROGRESS, mayHaveExpired } from '../models/delivery.ts'
import { mailIdsOf, type Reply } from '../models/reply.ts'
import { removeFilesOf } from '../replying/remove-reply-files.ts'

/**
 * Deletes everything about these messages.
 * @param removeRows deletes their own rows, near the end: an interrupted deletion finds them again
 */
export async function removeForGood(
  ctx: Context,
  messageRowIds: string[],
  removeRows: () => Promise<void>,
): Promise<void> {
  await deleteOwned(ctx.connection, 'messageRowId', messageRowIds)
  await removeReplies(ctx, messageRowIds)
  await removeFilesOf(ctx, messageRowIds)
  // What still has to leave another inbox is forgotten once it has (rearranging/finish-leaving.ts).
  await ctx.movedMessages.deleteMany({ messageRowId: { $in: messageRowIds }, finishAt: null })
  crashPoint('mail-half-purged')
  await removeRows()
  // Once more: arriving/read-files.ts may have stored one since, and looks for its message only afterwards.
  await ctx.attachmentTexts.deleteMany({ _id: { $in: messageRowIds } })
}

/** Messages with a reply that may still be sent, which needs its row and its files. */
export async function findUnsent(ctx: Context, messageRowIds: string[]): Promise<Set<string>> {
  const replies = await ctx.replies
    .find({ messageRowId: { $in: messageRowIds } }, { messageRowId: 1, mailQueuedAt: 1, cc: 1 })
    .lean()
  const ids = replies.flatMap(mailIdsOf)
  const inProgress = await ctx.deliveries.distinct('_id', { _id: { $in: ids }, state: { $in: IN_PROGRESS } })
  const unsent = replies.filter(
    (reply) => reply.mailQueuedAt === undefined || mailIdsOf(reply).some((id) => inProgress.includes(id)),
  )
  return new Set(unsent.map(({ messageRowId }) => messageRowId))
}

async function removeReplies(ctx: Context, messageRowIds: string[]): Promise<void> {
  const replies = await ctx.replies.find({ messageRowId: { $in: messageRowIds } }, { createdAt: 1, cc: 1 }).lean()
  if (replies.length === 0) return
  await removeDeliveries(ctx, replies)
  await ctx.replies.deleteMany({ _id: { $in: replies.map(({ _id }) => _id) } })
}

type Ended = Pick<Reply, '_id' | 'cc' | 'createdAt'>

/** Keeps the record of a mail that may still be queued: it prevents a second send. */
export async function removeDeliveries({ deliveries }: Context, replies: Ended[]): Promise<void> {
  const old = replies.filter(({ createdAt }) => mayHaveExpired(createdAt)).flatMap(mailIdsOf)
  await deliveries.deleteMany({ _id: { $in: old }, state: { $in: ['sent', 'failed', 'unknown'] } })
}
