import type { Context } from '../context.ts'
import { republishRows } from './republish-rows.ts'

/** Longer than any call in which an event is accepted can still be under way. */
const LEFT_BEHIND_MS = 4000
const MOST_AT_ONCE = 200

/**
 * Publishes, oldest first, what a crash or an absence of NATS has left unpublished. Several replicas may do it at once: the
 * stream knows an event by its id.
 */
export async function sweepUnpublished(ctx: Context): Promise<void> {
  for (;;) {
    const rows = await ctx.events
      .find({ unpublishedSince: { $lt: new Date(Date.now() - LEFT_BEHIND_MS) } }, { _id: 1 })
      .sort({ unpublishedSince: 1 })
      .limit(MOST_AT_ONCE)
      .lean()
    const failed = await republishRows(
      ctx,
      rows.map(({ _id }) => _id),
    )
    if (rows.length < MOST_AT_ONCE || failed.size > 0) return
  }
}
