import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'

/** As many in one transaction. */
const CHUNK = 1000

/**
 * Deletes everything that came through a link, for good. The tombstone comes first: whatever is put on a timeline after it
 * is taken off again by whoever put it there (`placeEvents`), so nothing that is deleted here comes back, and nothing late
 * stays. Repeating it goes on where it was.
 * @param deadline milliseconds since 1970; no chunk begins later
 * @returns how many events it has deleted in all, over every repetition
 * @throws StatusError UNAVAILABLE at the deadline; `startPurgeSweeper` goes on then
 */
export async function purgeLink(ctx: Context, linkId: string, deadline: number): Promise<number> {
  await setTombstone(ctx, linkId)
  while (await ctx.connection.transaction((session) => deleteSome(ctx, linkId, deadline, session))) {}
  const { eventsDeleted } = await ctx.purgedLinks
    .findOneAndUpdate({ _id: linkId }, { $set: { doneAt: new Date() } }, { returnDocument: 'after' })
    .lean()
    .orFail()
  return eventsDeleted
}

async function setTombstone(ctx: Context, linkId: string): Promise<void> {
  const tombstone = { purgedAt: new Date(), eventsDeleted: 0 }
  try {
    await ctx.purgedLinks.updateOne({ _id: linkId }, { $setOnInsert: tombstone }, { upsert: true })
  } catch (error) {
    // Another purge of the same link has just set it.
    if (!isDuplicateKey(error)) throw error
  }
}

/** Deletes and counts in one step, so that the count is right whoever dies. @returns whether there may be more */
async function deleteSome(ctx: Context, linkId: string, deadline: number, session: ClientSession): Promise<boolean> {
  if (Date.now() > deadline) throw new StatusError('UNAVAILABLE', 'There is more to delete. Ask again in a moment.')
  const rows = await ctx.careEvents.find({ linkId }, { _id: 1 }).limit(CHUNK).session(session).lean()
  const dead = await ctx.deadLetters
    .find({ linkId, diedAt: { $exists: true } }, { _id: 1 })
    .limit(CHUNK)
    .session(session)
    .lean()
  if (rows.length + dead.length === 0) return false
  const placed = await ctx.careEvents.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session })
  const buried = await ctx.deadLetters.deleteMany({ _id: { $in: dead.map(({ _id }) => _id) } }, { session })
  const eventsDeleted = placed.deletedCount + buried.deletedCount
  await ctx.purgedLinks.updateOne({ _id: linkId }, { $inc: { eventsDeleted } }, { session })
  return true
}

const SWEEP_EVERY_MS = 5000
/** Younger purges are still being made by the call that asked for them. */
const LEFT_BEHIND_MS = 5000
const LONGEST_MS = 60_000
const MOST_AT_ONCE = 20

/** Finishes, every few seconds, purges that were too large for the call that asked for them, or whose process died. */
export function startPurgeSweeper(ctx: Context): AsyncDisposable {
  const trouble = 'purges could not be finished yet'
  return startSweeper({
    everyMs: SWEEP_EVERY_MS,
    sweep: (signal) => sweepOnce(ctx, signal),
    failureMessage: trouble,
    logger: ctx.logger,
  })
}

async function sweepOnce(ctx: Context, signal: AbortSignal): Promise<false> {
  const leftBehind = { doneAt: null, purgedAt: { $lt: new Date(Date.now() - LEFT_BEHIND_MS) } }
  for (const { _id } of await ctx.purgedLinks.find(leftBehind, { _id: 1 }).limit(MOST_AT_ONCE).lean()) {
    if (signal.aborted) break
    await purgeLink(ctx, _id, Date.now() + LONGEST_MS)
  }
  return false
}
