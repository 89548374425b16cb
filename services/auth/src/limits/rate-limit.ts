import { createHmac } from 'node:crypto'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { toRetryAfterSec, type Window, waitMs, withNow } from '../admission/sliding-window.ts'
import type { Context } from '../context.ts'
import type { RateLimit } from '../models/rate-limit.ts'

/** A limit for each subject, such as an address or a network. Every window must have capacity. */
export type Limit = { name: string; windows: readonly [Window, ...Window[]] }

/**
 * Counts a request across all replicas. A refused request is not counted, so the reported wait is exact.
 * @throws StatusError RESOURCE_EXHAUSTED with `retryAfterSec`
 */
export async function enforceRateLimit(ctx: Context, limit: Limit, subject: string): Promise<void> {
  const _id = keyedHash(ctx, limit.name, subject)
  // Read first: a flood is refused without queueing for a write.
  const wait = (await readWait(ctx, limit, _id)) || (await countUnlessLimited(ctx, limit, _id))
  if (wait <= 0) return
  const retryAfterSec = toRetryAfterSec(wait)
  throw new StatusError('RESOURCE_EXHAUSTED', `Too many attempts. Try again in ${formatWait(retryAfterSec)}.`, {
    retryAfterSec,
  })
}

/** Returns the current wait in milliseconds, 0 for none. */
async function readWait(ctx: Context, { windows }: Limit, _id: string): Promise<number> {
  const [row] = await ctx.rateLimits.aggregate<Pick<RateLimit, 'waitMs'>>([
    { $match: { _id } },
    { $project: { waitMs: longestWait(windows) } },
  ])
  return Math.max(0, row?.waitMs ?? 0)
}

/** In one atomic update, returns the wait and counts the request if there is none. */
async function countUnlessLimited(ctx: Context, { windows }: Limit, _id: string): Promise<number> {
  const keep = Math.max(...windows.map(({ limit }) => limit))
  const longest = Math.max(...windows.map(({ ms }) => ms))
  const row = await retryOnDuplicateKey(() =>
    ctx.rateLimits.collection.findOneAndUpdate(
      { _id: _id as never },
      [
        { $set: { times: { $ifNull: ['$times', []] } } },
        { $set: { waitMs: longestWait(windows) } },
        {
          $set: {
            times: { $cond: [{ $lte: ['$waitMs', 0] }, withNow('$times', keep), '$times'] },
            expiresAt: { $add: ['$$NOW', longest] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after', projection: { waitMs: 1 }, writeConcern: { w: 1 } },
    ),
  )
  return (row as unknown as Pick<RateLimit, 'waitMs'>).waitMs
}

function longestWait(windows: readonly Window[]): object {
  return { $max: windows.map((window) => waitMs('$times', window)) }
}

/** Two first requests may both try to insert the row; one fails with a duplicate key. */
async function retryOnDuplicateKey<T>(update: () => Promise<T>): Promise<T> {
  try {
    return await update()
  } catch (error) {
    if (isDuplicateKey(error)) return update()
    throw error
  }
}

/** Keyed: IP addresses are few enough that a plain hash could be reversed. */
function keyedHash({ config }: Context, name: string, subject: string): string {
  return createHmac('sha256', config.limitKey).update(`${name}\n${subject}`).digest('hex')
}

function formatWait(seconds: number): string {
  if (seconds < 100) return seconds === 1 ? 'a second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 100 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}
