import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import type { EventRow } from '../models/event.ts'
import type { Link } from '../models/link.ts'
import { emptyRows } from '../purge/empty-rows.ts'
import { publishEvent, toPublishable } from './publish-event.ts'

/**
 * Publishes rows that are not known to be in the stream. What belongs to a link that was purged meanwhile is emptied instead.
 * @returns those that could not be dealt with now
 */
export async function republishRows(ctx: Context, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await ctx.events.find({ _id: { $in: ids }, linkId: { $exists: true } }).lean<EventRow[]>()
  const links = await ctx.links.find({ _id: { $in: rows.map(({ linkId = '' }) => linkId) }, live: true }).lean<Link[]>()
  const linkOf = new Map(links.map((link) => [link._id, link]))
  await emptyRows(ctx, { _id: { $in: rows.filter(({ linkId }) => !linkOf.has(linkId ?? '')).map(({ _id }) => _id) } })
  const failed = new Set<string>()
  const publish = async (row: EventRow) => {
    const link = linkOf.get(row.linkId ?? '')
    if (link) await publishEvent(ctx, toPublishable(row, link))
  }
  await Promise.all(rows.map((row) => publish(row).catch(noteFailure(ctx, row._id, failed))))
  return failed
}

function noteFailure(ctx: Context, id: string, failed: Set<string>) {
  return (error: unknown) => {
    if (failed.size === 0) ctx.logger.warn(describeError(error), 'events could not be published yet')
    failed.add(id)
  }
}
