import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { removeFile } from './reply-files.ts'

const PAUSE_MS = 60_000
const MAX_BATCH = 100

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
