import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'
import { emptyRows } from './empty-rows.ts'

const MOST_AT_ONCE = 1000
/** Longer than an event that was let through before the purge can be under way. */
const UNDER_WAY_MS = 10_000

/**
 * Deletes everything that came through a link that has its tombstone: here, in the stream, and on the timeline. Doing it twice
 * does no harm, and it is done twice: once more when nothing can be under way any longer.
 * @returns how many events it deleted, the first time as well as any other
 */
export async function purgeLink(ctx: Context, link: Pick<Link, '_id' | 'purgedAt'>): Promise<number> {
  const { _id: linkId, purgedAt } = link
  const startedAt = Date.now()
  const eventsDeleted = await countOnce(ctx, linkId)
  await deleteRows(ctx, linkId)
  await ctx.careEvents.erase(linkId)
  await ctx.careCircle.purgeCareEvents({ linkId })
  const isOver = startedAt > Number(purgedAt) + UNDER_WAY_MS
  await ctx.links.updateOne(
    { _id: linkId },
    isOver ? { $unset: { purgeDueAt: 1 } } : { $set: { purgeDueAt: new Date(Number(purgedAt) + UNDER_WAY_MS + 1) } },
  )
  return eventsDeleted
}

/** Noted before anything is deleted, so that whoever finishes the purge knows it too. */
async function countOnce(ctx: Context, linkId: string): Promise<number> {
  const count = await ctx.events.countDocuments({ linkId })
  const link = await ctx.links.findOneAndUpdate(
    { _id: linkId },
    { $max: { eventsDeleted: count } },
    { returnDocument: 'after', projection: { eventsDeleted: 1 } },
  )
  return link?.eventsDeleted ?? count
}

async function deleteRows(ctx: Context, linkId: string): Promise<void> {
  for (;;) {
    const rows = await ctx.events.find({ linkId }, { _id: 1 }).limit(MOST_AT_ONCE).lean()
    if (rows.length === 0) return
    await emptyRows(ctx, { _id: { $in: rows.map(({ _id }) => _id) } })
  }
}
