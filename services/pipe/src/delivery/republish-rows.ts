import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'
import { emptyRows } from '../purge/empty-rows.ts'
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
