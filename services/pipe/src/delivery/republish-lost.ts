import { CARE_EVENT_STREAM } from '@family-inbox/care-events/care-event-stream'
import { heedLostStream } from '@family-inbox/service-kit/heed-lost-stream'
import type { Context } from '../context.ts'

/** No event waits longer in a stream that anybody looks after. */
const WAITED_AT_MOST_MS = 7 * 24 * 60 * 60 * 1000
/** As far as the clocks of NATS and the pipe may differ. */
const APART_MS = 5000
const MOST_AT_ONCE = 2000

/**
 * The rows are the truth, and the stream can be made from them: when it was lost, its events are left to the sweeper once more.
 * Those that are on their timeline are known there.
 */
export function republishLost(ctx: Context): AsyncDisposable {
  const { connection } = ctx.careEvents
  const replace = (madeAt: Date) => unpublishBefore(ctx, madeAt)
  return heedLostStream({
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
      .limit(MOST_AT_ONCE)
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
