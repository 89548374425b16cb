import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { detectStreamReplacement } from '@family-inbox/service-kit/nats/detect-stream-replacement'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { CARE_EVENT_STREAM } from '@family-inbox/workspace-kit/care-events'
import type { Context } from '../context.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'
import { emptyRows } from '../purge/purge-link.ts'
import { type Publishable, publishEvents, toPublishable } from './publish-events.ts'

/**
 * Publishes rows that are not known to be in the stream. What belongs to a link that was purged meanwhile is emptied instead.
 * @returns those that could not be dealt with now
 */
export async function republishRows(ctx: Context, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await ctx.events.find({ _id: { $in: ids }, linkId: { $exists: true } }).lean<EventRow[]>()
  const links = await ctx.links.find({ _id: { $in: rows.map(({ linkId = '' }) => linkId) }, live: true }).lean<Link[]>()
  const linkOf = new Map(links.map((link) => [link._id, link]))
  const isPurged = ({ linkId = '' }: EventRow) => !linkOf.has(linkId)
  await emptyRows(ctx, { _id: { $in: rows.filter(isPurged).map(({ _id }) => _id) } })
  const live = rows.filter((row) => !isPurged(row))
  const published = await publishEvents(
    ctx,
    live.flatMap((row) => readRow(ctx, row, linkOf.get(row.linkId ?? '') as Link)),
  )
  return new Set(live.flatMap(({ _id }) => (published.has(_id) ? [] : _id)))
}

/** A row that cannot be read holds up no other. */
function readRow(ctx: Context, row: EventRow, link: Link): Publishable[] {
  try {
    return [toPublishable(row, link)]
  } catch (error) {
    ctx.logger.error({ event: row._id, ...describeError(error) }, 'an accepted event cannot be published')
    return []
  }
}

const SWEEP_EVERY_MS = 1000
/** Longer than any call in which an event is accepted can still be under way. */
const LEFT_BEHIND_MS = 4000
const MOST_AT_ONCE = 200

/**
 * Publishes, oldest first, what a crash or an absence of NATS has left unpublished. Several replicas may do it at once: the
 * stream knows an event by its id.
 */
export function startUnpublishedSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'accepted events could not be published yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: () => publishSome(ctx),
    failureMessage: trouble,
    logger: ctx.logger,
  })
}

/** Whether there may be more to publish. */
async function publishSome(ctx: Context): Promise<boolean> {
  const rows = await ctx.events
    .find({ unpublishedSince: { $lt: new Date(Date.now() - LEFT_BEHIND_MS) } }, { _id: 1 })
    .sort({ unpublishedSince: 1 })
    .limit(MOST_AT_ONCE)
    .lean()
  const failed = await republishRows(
    ctx,
    rows.map(({ _id }) => _id),
  )
  return rows.length === MOST_AT_ONCE && failed.size === 0
}

/** No event waits longer in a stream that anybody looks after. */
const WAITED_AT_MOST_MS = 7 * 24 * 60 * 60 * 1000
/** As far as the clocks of NATS and the pipe may differ. */
const APART_MS = 5000
const LOST_AT_ONCE = 2000

/**
 * The rows are the truth, and the stream can be made from them: when it was lost, its events are left to the sweeper once more.
 * Those that are on their timeline are known there.
 */
export function republishLost(ctx: Context): AsyncDisposable {
  const { connection } = ctx.careEvents
  const replace = (madeAt: Date) => unpublishBefore(ctx, madeAt)
  return detectStreamReplacement({
    connection,
    stream: CARE_EVENT_STREAM,
    database: ctx.connection,
    replace,
    logger: ctx.logger,
  })
}

/** Piece by piece, by their ids. */
async function unpublishBefore(ctx: Context, madeAt: Date): Promise<void> {
  const receivedAt = { $gte: new Date(Date.now() - WAITED_AT_MOST_MS), $lt: new Date(Number(madeAt) + APART_MS) }
  let events = 0
  for (let behind = ''; ; ) {
    const rows = await ctx.events
      .find({ _id: { $gt: behind } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(LOST_AT_ONCE)
      .lean()
    const last = rows.at(-1)?._id
    if (last === undefined) break
    const piece = { _id: { $gt: behind, $lte: last }, linkId: { $exists: true }, receivedAt }
    const { modifiedCount } = await ctx.events.updateMany(piece, { unpublishedSince: new Date() })
    events += modifiedCount
    behind = last
  }
  if (events > 0) ctx.logger.warn({ events }, 'the stream of accepted events is a new one: they are published again')
}
