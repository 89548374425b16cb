import { deleteOwned } from '@family-inbox/workspace-kit/row-schema'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { type DeliveryState, mayHaveExpired } from '../models/delivery.ts'
import { removeFilesOf } from '../replying/reply-files.ts'

const IN_PROGRESS: DeliveryState[] = ['queued', 'handing_over']

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
    .find({ messageRowId: { $in: messageRowIds } }, { messageRowId: 1, mailQueuedAt: 1 })
    .lean()
  const ids = replies.map(({ _id }) => _id)
  const inProgress = await ctx.deliveries.distinct('_id', { _id: { $in: ids }, state: { $in: IN_PROGRESS } })
  const unsent = replies.filter(({ _id, mailQueuedAt }) => mailQueuedAt === undefined || inProgress.includes(_id))
  return new Set(unsent.map(({ messageRowId }) => messageRowId))
}

/** Keeps the record of a mail that may still be queued: it prevents a second send. */
async function removeReplies(ctx: Context, messageRowIds: string[]): Promise<void> {
  const replies = await ctx.replies.find({ messageRowId: { $in: messageRowIds } }, { createdAt: 1 }).lean()
  if (replies.length === 0) return
  const old = replies.filter(({ createdAt }) => mayHaveExpired(createdAt)).map(({ _id }) => _id)
  await ctx.deliveries.deleteMany({ _id: { $in: old }, state: { $in: ['sent', 'failed', 'unknown'] } })
  await ctx.replies.deleteMany({ _id: { $in: replies.map(({ _id }) => _id) } })
}
