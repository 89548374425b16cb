import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { sweepDue } from '@family-inbox/service-kit/mongo/claim-due'
import type { Context } from './context.ts'
import type { Link } from './models/link.ts'

const MAX_BATCH = 1000
/** Longer than an event accepted before the purge can be in flight. */
const IN_FLIGHT_MS = 10_000
const RETRY_MS = 10_000

/** Rows, stream and timeline. Idempotent. The sweeper repeats it once nothing can be in flight. */
export async function purgeLink(ctx: Context, link: Pick<Link, '_id' | 'purgedAt'>): Promise<number> {
  const { _id: linkId, purgedAt } = link
  const startedAt = Date.now()
  const eventsDeleted = await recordCount(ctx, linkId)
  await deleteRows(ctx, linkId)
  await ctx.careEvents.erase(linkId)
  await ctx.careCircle.purgeCareEvents({ linkId })
  const isFinal = startedAt > Number(purgedAt) + IN_FLIGHT_MS
  await ctx.links.updateOne(
    { _id: linkId },
    isFinal ? { $unset: { purgeDueAt: 1 } } : { $set: { purgeDueAt: new Date(Number(purgedAt) + IN_FLIGHT_MS + 1) } },
  )
  return eventsDeleted
}

async function recordCount(ctx: Context, linkId: string): Promise<number> {
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
    const rows = await ctx.events.find({ linkId }, { _id: 1 }).limit(MAX_BATCH).lean()
    if (rows.length === 0) return
    await redactRows(ctx, { _id: { $in: rows.map(({ _id }) => _id) } })
  }
}

type LinkFilter = Pick<Link, 'institutionId' | 'subjectRef'> | (Pick<Link, 'workspaceId'> & Partial<Pick<Link, '_id'>>)

/** No event is accepted or shown from then on. `null` when none is live. */
export function tombstoneLink(ctx: Context, filter: LinkFilter): Promise<Link | null> {
  const now = new Date()
  return ctx.links
    .findOneAndUpdate(
      { ...filter, live: true },
      { $set: { shared: false, purgedAt: now, purgeDueAt: now }, $unset: { live: 1 } },
      { returnDocument: 'after' },
    )
    .lean<Link>()
}

/** Keeps the keys, so that the events are never accepted again. */
export async function redactRows(ctx: Context, filter: object): Promise<void> {
  await ctx.events.collection.updateMany(filter, { $unset: { body: 1, linkId: 1, receivedAt: 1, unpublishedSince: 1 } })
}

export function startPurgeSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'a purge could not be finished'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    ...sweepDue({ rows: ctx.links, field: 'purgeDueAt', leaseMs: RETRY_MS }, (link: Link) => purgeLink(ctx, link)),
    wake: ctx.wake.purges,
    failureMessage,
    logger: ctx.logger,
  })
}

/** The purge sweeper finishes what fails here. */
export async function removeWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  for (
    let link = await tombstoneLink(ctx, { workspaceId });
    link !== null;
    link = await tombstoneLink(ctx, { workspaceId })
  )
    await purgeLink(ctx, link)
}
