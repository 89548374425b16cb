import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { removeSentFiles } from '../replying/remove-reply-files.ts'
import { removeDeliveries } from './remove-for-good.ts'

const BATCH_SIZE = 100

/** Deletes replies for good whose 30 days in which they could be put back are over. Their rows go last, so a crash repeats it. */
export function purgeReplies(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => earliest(ctx.replies, 'purgeAt', { purgeAt: { $exists: true } }),
    sweep: () => purgeSome(ctx),
    failureMessage: 'deleted replies could not be deleted for good; retrying',
    logger: ctx.logger,
  })
}

async function purgeSome(ctx: Context): Promise<boolean> {
  const isDue = { purgeAt: { $lte: new Date() } }
  const due = await ctx.replies.find(isDue).limit(BATCH_SIZE).lean()
  for (const reply of due) await removeSentFiles(ctx, reply)
  if (due.length > 0) crashPoint('reply-files-purged')
  await removeDeliveries(ctx, due)
  await ctx.replies.deleteMany({ _id: { $in: due.map(({ _id }) => _id) } })
  return due.length === BATCH_SIZE
}
