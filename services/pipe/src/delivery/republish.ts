import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import type { Context } from '../context.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'
import { redactRows } from '../purge.ts'
import { type Publishable, publishEvents, toPublishable } from './publish-events.ts'

/** Longer than any call that accepts an event. */
const UNPUBLISHED_AFTER_MS = 4000
const MAX_BATCH = 200

/** Redacts rows of purged links instead. @param again as for `publishEvents` @returns the ids that could not be published */
export async function republishRows(ctx: Context, ids: readonly string[], again?: string): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await ctx.events.find({ _id: { $in: ids }, linkId: { $exists: true } }).lean<EventRow[]>()
  const links = await ctx.links.find({ _id: { $in: rows.map(({ linkId = '' }) => linkId) }, live: true }).lean<Link[]>()
  const linkOf = new Map(links.map((link) => [link._id, link]))
  const isPurged = ({ linkId = '' }: EventRow) => !linkOf.has(linkId)
  await redactRows(ctx, { _id: { $in: rows.filter(isPurged).map(({ _id }) => _id) } })
  const live = rows.filter((row) => !isPurged(row))
  const published = await publishEvents(
    ctx,
    live.flatMap((row) => readRow(ctx, row, linkOf.get(row.linkId ?? '') as Link)),
    again,
  )
  return new Set(live.flatMap(({ _id }) => (published.has(_id) ? [] : _id)))
}

/** An unreadable row must not block the others. */
function readRow(ctx: Context, row: EventRow, link: Link): Publishable[] {
  try {
    return [toPublishable(row, link)]
  } catch (error) {
    ctx.logger.error({ event: row._id, ...describeError(error) }, 'accepted event cannot be published')
    return []
  }
}

/** Safe on several replicas: the stream deduplicates by event id. */
export function startUnpublishedSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'accepted events could not be published'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => firstUnpublished(ctx),
    sweep: () => publishSome(ctx),
    wake: ctx.wake.unpublished,
    failureMessage,
    logger: ctx.logger,
  })
}

async function firstUnpublished({ events }: Context): Promise<Date | undefined> {
  const since = await earliest(events, 'unpublishedSince')
  return since && new Date(since.getTime() + UNPUBLISHED_AFTER_MS + 1)
}

async function publishSome(ctx: Context): Promise<boolean> {
  const rows = await ctx.events
    .find({ unpublishedSince: { $lt: new Date(Date.now() - UNPUBLISHED_AFTER_MS) } }, { _id: 1 })
    .sort({ unpublishedSince: 1 })
    .limit(MAX_BATCH)
    .lean()
  const failed = await republishRows(
    ctx,
    rows.map(({ _id }) => _id),
  )
  return rows.length === MAX_BATCH && failed.size === 0
}
