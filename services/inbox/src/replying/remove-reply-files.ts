import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { idsBelow } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import type { Reply } from '../models/reply.ts'
import { releaseBytes } from '../storage/storage-use.ts'
import { type FileOwner, removeFile, UNSENT, workspaceOf } from './reply-files.ts'

const PAUSE_MS = 60_000
const MAX_BATCH = 100

/** Deletes the files of messages, sent ones too, when the messages expire. */
export async function removeFilesOf(ctx: Context, messageRowIds: string[]): Promise<void> {
  await removeAll(ctx, { messageRowId: { $in: messageRowIds } })
}

/** Deletes the files that went with a reply, when it is deleted for good. */
export async function removeSentFiles(ctx: Context, { _id, attachments = [] }: Pick<Reply, '_id' | 'attachments'>) {
  if (attachments.length > 0) await removeAll(ctx, { _id: { $in: attachments.map(({ file }) => file) }, replyId: _id })
}

/** Deletes the files of a draft that is discarded. */
export async function removeDraftFiles(ctx: Context, { messageRowId, personId }: FileOwner): Promise<void> {
  const files = await ctx.replyFiles.find({ messageRowId, personId, ...UNSENT }, { _id: 1 }).lean()
  for (const { _id } of files) await removeFile(ctx, _id)
}

async function removeAll(ctx: Context, theirs: object): Promise<void> {
  // Marked first, so that a piece that arrives now is not counted and does not stay.
  await ctx.replyFiles.updateMany(theirs, { $set: { isRemoved: true } })
  const files = await ctx.replyFiles.find(theirs, { _id: 1 }).lean()
  for (const { _id } of files) {
    await ctx.replyFilePieces.deleteMany({ _id: idsBelow(_id) })
    const removed = await ctx.replyFiles.findOneAndDelete({ _id }).lean()
    if (removed !== null) await releaseBytes(ctx, workspaceOf(removed), removed.size)
  }
}

/** Deletes files that were not completed or not sent in time, and finishes removals that a crash interrupted. */
export function sweepReplyFiles(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: PAUSE_MS,
    async sweep() {
      const isExpired = { expiresAt: { $lt: new Date() } }
      const expired = await ctx.replyFiles.find(isExpired, { _id: 1 }).limit(MAX_BATCH).lean()
      // Another piece may have arrived in the meantime.
      for (const { _id } of expired) await removeFile(ctx, _id, isExpired)
      return expired.length === MAX_BATCH
    },
    failureMessage: 'expired files of replies could not be deleted; retrying',
    logger: ctx.logger,
  })
}
