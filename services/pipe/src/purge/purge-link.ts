import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import type { Context } from '../context.ts'
import type { Link } from '../models/link.ts'

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

type Whose = Pick<Link, 'institutionId' | 'subjectRef'> | Pick<Link, 'workspaceId'>

/** Makes one live link a tombstone: from then on nothing is taken, shown or put on a timeline. `null` when none is live. */
export function tombstoneLink(ctx: Context, whose: Whose): Promise<Link | null> {
  const now = new Date()
  return ctx.links
    .findOneAndUpdate(
      { ...whose, live: true },
      { $set: { shared: false, purgedAt: now, purgeDueAt: now }, $unset: { live: 1 } },
      { returnDocument: 'after' },
    )
    .lean<Link>()
}

/**
 * Takes from rows all an event said and whom it was about. What it is recognised by stays, so that it never comes again.
 * @param which a filter for rows
 */
export async function emptyRows(ctx: Context, which: object): Promise<void> {
  await ctx.events.collection.updateMany(which, { $unset: { body: 1, linkId: 1, receivedAt: 1, unpublishedSince: 1 } })
}

const SWEEP_EVERY_MS = 1000
/** What could not be finished is taken up again after this. */
const AGAIN_MS = 10_000

/** Finishes purges that a crash or an absence has left half done, and looks a second time after each. */
export function startPurgeSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'a purge could not be finished yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => purgeNext(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
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
