import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import { claimDueList, finishList } from './notices.ts'
import { nextNotice, queueNotices } from './notify-members.ts'
import { writeNotice } from './write-notice.ts'

/** Safe on any number of replicas: one claims each list, and a repeated mail has the same id. */
export function sendNotices(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => nextNotice(ctx),
    sweep: () => sweep(ctx),
    wake: ctx.wake.notices,
    failureMessage: 'a notice could not be sent; retrying',
    logger: ctx.logger,
  })
}

async function sweep(ctx: Context): Promise<boolean> {
  await queueNotices(ctx)
  const list = await claimDueList(ctx)
  if (list === null) return false
  const written = await writeNotice(ctx, list)
  if (written === 'no member') await ctx.noticeLists.deleteOne({ _id: list._id })
  else await finishList(ctx, list, written)
  return true
}
