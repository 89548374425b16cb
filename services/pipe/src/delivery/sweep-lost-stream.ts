import { CARE_EVENT_STREAM } from '@family-inbox/care-events/care-event-stream'
import { startSweeper } from '@family-inbox/service-kit/sweep'
import type { Context } from '../context.ts'

const SWEEP_EVERY_MS = 5000
/** By then it is noted of every event that the old stream had it, and the note can be taken back. */
const SETTLED_MS = 3000
/** No event waits longer in a stream that anybody looks after. */
const WAITED_AT_MOST_MS = 7 * 24 * 60 * 60 * 1000
const MOST_AT_ONCE = 2000

/**
 * The rows are the truth, and the stream can be made from them: when it is another one than before, because NATS lost its disks or
 * starts empty beside a restored database, what was in the old one is published again. Those that are on their timeline are
 * known there.
 */
export function startLostStreamSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'the stream of accepted events cannot be looked at yet'
  return startSweeper({ everyMs: SWEEP_EVERY_MS, sweep: () => replaceLost(ctx), trouble, logger: ctx.logger })
}

async function replaceLost(ctx: Context): Promise<false> {
  const created = await ctx.careEvents.created()
  const seen = await ctx.streams.findById(CARE_EVENT_STREAM).lean()
  if (created === seen?.created || Date.now() - Date.parse(created) < SETTLED_MS) return false
  await unpublishRecent(ctx)
  await ctx.streams.updateOne({ _id: CARE_EVENT_STREAM }, { created }, { upsert: true })
  return false
}

/** Piece by piece, by their ids. Twice, by two replicas or after a crash, it costs the timeline another look at each. */
async function unpublishRecent(ctx: Context): Promise<void> {
  const now = new Date()
  const isRecent = { linkId: { $exists: true }, receivedAt: { $gte: new Date(Number(now) - WAITED_AT_MOST_MS) } }
  let events = 0
  for (let after = ''; ; ) {
    const rows = await ctx.events
      .find({ _id: { $gt: after } }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(MOST_AT_ONCE)
      .lean()
    const last = rows.at(-1)?._id
    if (last === undefined) break
    const piece = { _id: { $gt: after, $lte: last }, ...isRecent }
    const { modifiedCount } = await ctx.events.updateMany(piece, { unpublishedSince: now })
    events += modifiedCount
    after = last
  }
  if (events > 0) ctx.logger.warn({ events }, 'the stream of accepted events is a new one: they are published again')
}
