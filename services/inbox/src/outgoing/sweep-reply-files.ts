import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { removeFile } from './reply-files.ts'

const SWEEP_EVERY_MS = 60_000
const MAX_BATCH = 100

/** Deletes files that were not completed or not sent in time, and finishes removals that a crash interrupted. */
export function sweepReplyFiles(ctx: Context): AsyncDisposable {
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    async sweep() {
      const expired = await ctx.replyFiles
        .find({ expiresAt: { $lt: new Date() } }, { _id: 1 })
        .limit(MAX_BATCH)
        .lean()
      for (const { _id } of expired) await removeFile(ctx, _id)
      return expired.length === MAX_BATCH
    },
    failureMessage: 'expired files of replies could not be deleted; retrying',
    logger: ctx.logger,
  })
}
