import type { Context } from '../context.ts'
import { purgeLink } from './purge-link.ts'

/** What could not be finished is taken up again after this. */
const AGAIN_MS = 10_000

/** Finishes purges that a crash or an absence has left half done, and looks a second time after each. */
export async function sweepPurges(ctx: Context): Promise<void> {
  for (;;) {
    const link = await ctx.links.findOneAndUpdate(
      { purgeDueAt: { $lte: new Date() } },
      { $set: { purgeDueAt: new Date(Date.now() + AGAIN_MS) } },
      { sort: { purgeDueAt: 1 } },
    )
    if (link === null) return
    await purgeLink(ctx, link)
  }
}
