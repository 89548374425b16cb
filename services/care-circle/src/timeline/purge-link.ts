import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'

/** Younger purges still run in their own call. */
const ABANDONED_AFTER_MS = 5000
const PURGE_TIMEOUT_MS = 60_000
const MAX_PER_SWEEP = 20

const CHUNK = 1000

/** The marker is written first, and `storeEvents` checks it after each insert, so late events are deleted, too. */
export async function purgeLink(ctx: Context, linkId: string, deadline: number): Promise<number> {
  await markPurged(ctx, linkId)
  while (await ctx.connection.transaction((session) => deleteSome(ctx, linkId, deadline, session))) {}
  const { eventsDeleted } = await ctx.purgedLinks
    .findOneAndUpdate({ _id: linkId }, { $set: { doneAt: new Date() } }, { returnDocument: 'after' })
    .lean()
    .orFail()
  return eventsDeleted
}

async function markPurged(ctx: Context, linkId: string): Promise<void> {
  const marker = { purgedAt: new Date(), eventsDeleted: 0 }
  try {
    await ctx.purgedLinks.updateOne({ _id: linkId }, { $setOnInsert: marker }, { upsert: true })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
}

/** @returns true when there may be more */
async function deleteSome(ctx: Context, linkId: string, deadline: number, session: ClientSession): Promise<boolean> {
  if (Date.now() > deadline) throw new StatusError('UNAVAILABLE', 'There is more to delete. Try again in a moment.')
  const rows = await ctx.careEvents.find({ linkId }, { _id: 1 }).limit(CHUNK).session(session).lean()
  const dead = await ctx.deadLetters
    .find({ linkId, deadAt: { $exists: true } }, { _id: 1 })
    .limit(CHUNK)
    .session(session)
    .lean()
  if (rows.length + dead.length === 0) return false
  const deletedEvents = await ctx.careEvents.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { session })
  const deletedLetters = await ctx.deadLetters.deleteMany({ _id: { $in: dead.map(({ _id }) => _id) } }, { session })
  const eventsDeleted = deletedEvents.deletedCount + deletedLetters.deletedCount
  await ctx.purgedLinks.updateOne({ _id: linkId }, { $inc: { eventsDeleted } }, { session })
  return true
}

export function startPurgeSweeper(ctx: Context): AsyncDisposable {
  const failureMessage = 'could not finish purges; will retry'
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => firstAbandoned(ctx),
    sweep: (signal) => sweepOnce(ctx, signal),
    failureMessage,
    logger: ctx.logger,
  })
}

async function firstAbandoned({ purgedLinks }: Context): Promise<Date | undefined> {
  const purgedAt = await earliest(purgedLinks, 'purgedAt', { doneAt: null })
  return purgedAt && new Date(purgedAt.getTime() + ABANDONED_AFTER_MS + 1)
}

async function sweepOnce(ctx: Context, signal: AbortSignal): Promise<false> {
  const abandoned = { doneAt: null, purgedAt: { $lt: new Date(Date.now() - ABANDONED_AFTER_MS) } }
  for (const { _id } of await ctx.purgedLinks.find(abandoned, { _id: 1 }).limit(MAX_PER_SWEEP).lean()) {
    if (signal.aborted) break
    await purgeLink(ctx, _id, Date.now() + PURGE_TIMEOUT_MS)
  }
  return false
}
