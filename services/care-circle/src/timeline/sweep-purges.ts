import { startSweeper } from '@family-inbox/service-kit/sweep'
import type { Context } from '../context.ts'
import { purgeLink } from './purge-link.ts'

const SWEEP_EVERY_MS = 5000
/** Younger purges are still being made by the call that asked for them. */
const LEFT_BEHIND_MS = 5000
const LONGEST_MS = 60_000
const MOST_AT_ONCE = 20

/** Finishes, every few seconds, purges that were too large for the call that asked for them, or whose process died. */
export function startPurgeSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'purges could not be finished yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: (signal) => sweepOnce(ctx, signal),
    trouble,
    logger: ctx.logger,
  })
}

async function sweepOnce(ctx: Context, signal: AbortSignal): Promise<false> {
  const leftBehind = { doneAt: null, purgedAt: { $lt: new Date(Date.now() - LEFT_BEHIND_MS) } }
  for (const { _id } of await ctx.purgedLinks.find(leftBehind, { _id: 1 }).limit(MOST_AT_ONCE).lean()) {
    if (signal.aborted) break
    await purgeLink(ctx, _id, Date.now() + LONGEST_MS)
  }
  return false
}
