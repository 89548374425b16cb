import { startSweeper } from '@family-inbox/service-kit/sweep'
import type { Context } from '../context.ts'
import { purgeLink } from './purge-link.ts'

const SWEEP_EVERY_MS = 1000
/** What could not be finished is taken up again after this. */
const AGAIN_MS = 10_000

/** Finishes purges that a crash or an absence has left half done, and looks a second time after each. */
export function startPurgeSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'a purge could not be finished yet'
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => purgeNext(ctx), trouble, logger: ctx.logger })
}

/** Whether there was one to go on with. */
async function purgeNext(ctx: Context): Promise<boolean> {
  const link = await ctx.links.findOneAndUpdate(
    { purgeDueAt: { $lte: new Date() } },
    { $set: { purgeDueAt: new Date(Date.now() + AGAIN_MS) } },
    { sort: { purgeDueAt: 1 } },
  )
  if (link) await purgeLink(ctx, link)
  return link !== null
}
