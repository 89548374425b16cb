import { startSweeper } from '@family-inbox/service-kit/sweep'
import type { Context } from '../context.ts'
import { republishRows } from './republish-rows.ts'

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
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => publishSome(ctx), trouble, logger: ctx.logger })
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
