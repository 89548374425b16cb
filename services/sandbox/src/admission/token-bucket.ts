import { createHmac } from 'node:crypto'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import type { Bucket } from '../models/bucket.ts'

/** What a network has buckets for: workspaces it opens, and starts that were refused for their arguments. */
type Purpose = 'starts' | 'refused starts'

/** An agent that gets arguments wrong may try ten times as often, and gets a try back ten times as soon. */
const REFUSED_PER_START = 10

/**
 * Takes one token of a network, whichever replica is asked: one atomic update decides, by MongoDB's clock. A call without a
 * token takes nothing, so the wait it is told is the true one.
 * @throws StatusError RESOURCE_EXHAUSTED with the seconds after which there is a token
 */
export async function spendToken(ctx: Context, purpose: Purpose, network: string): Promise<void> {
  const wait = await ctx.takeToken(bucketId(ctx, purpose, network), bucketFor(ctx, purpose))
  if (wait === undefined) return
  throw new StatusError('RESOURCE_EXHAUSTED', 'Too many workspaces were started from your network.', {
    retryAfterSec: Math.max(1, Math.ceil(wait / 1000)),
  })
}

/** Gives back the token of a start that failed on our side. */
export async function giveTokenBack(ctx: Context, network: string): Promise<void> {
  await ctx.buckets.collection.updateOne(
    { _id: bucketId(ctx, 'starts', network) as never },
    [{ $set: { fullAt: fullAfterOneLess(ctx.config.bucket) } }],
    { writeConcern: { w: 1 } },
  )
}

/**
 * Takes as many tokens as there are, for callers of one network who ask at the same time, in one atomic update.
 * @returns for each caller undefined, or how long to wait in milliseconds
 */
export async function takeTokens(
  buckets: Context['buckets'],
  _id: string,
  asked: readonly TokenBucket[],
): Promise<(number | undefined)[]> {
  const bucket = asked[0] as TokenBucket
  const row = await onceMoreIfRaced(() =>
    buckets.collection.findOneAndUpdate(
      { _id: _id as never },
      [
        { $set: { taken: grantable(bucket, asked.length) } },
        { $set: { fullAt: { $cond: [{ $gt: ['$taken', 0] }, fullAfterTaken(bucket), '$fullAt'] } } },
        { $set: { waitMs: waitMs(bucket) } },
      ],
      { upsert: true, returnDocument: 'after', projection: { taken: 1, waitMs: 1 }, writeConcern: { w: 1 } },
    ),
  )
  const { taken, waitMs: wait } = row as unknown as Bucket
  return asked.map((_, index) => (index < taken ? undefined : wait))
}

/** Two first calls of one network may both try to make its row; one of them is told that it is there already. */
async function onceMoreIfRaced<T>(update: () => Promise<T>): Promise<T> {
  try {
    return await update()
  } catch (error) {
    if (isDuplicateKey(error)) return update()
    throw error
  }
}

function bucketFor({ config }: Context, purpose: Purpose): TokenBucket {
  const { capacity, refillMs } = config.bucket
  if (purpose === 'starts') return config.bucket
  return { capacity: capacity * REFUSED_PER_START, refillMs: Math.ceil(refillMs / REFUSED_PER_START) }
}

/** Addresses are few enough to be tried in turn, so a plain hash would hide nothing. */
function bucketId({ config }: Context, purpose: Purpose, network: string): string {
  return createHmac('sha256', config.networkKey).update(`${purpose}\n${network}`).digest('base64url')
}

/** A bucket that holds `capacity` tokens and gets one back every `refillMs`. */
export type TokenBucket = { capacity: number; refillMs: number }

/**
 * A bucket is kept as the one moment at which it will be full again: each token taken puts that off by one refill, and a
 * token is there as long as it is not more than `capacity` refills away. These are the aggregation expressions for that,
 * by MongoDB's own clock, so that every replica counts alike.
 */
const fullAt = { $max: [{ $ifNull: ['$fullAt', '$$NOW'] }, '$$NOW'] }

/** How many of the tokens somebody asks for there are. */
function grantable({ capacity, refillMs }: TokenBucket, asked: number): object {
  const room = { $subtract: [capacity * refillMs, { $subtract: [fullAt, '$$NOW'] }] }
  return { $max: [0, { $min: [asked, { $floor: { $divide: [room, refillMs] } }] }] }
}

/** How long the next token takes to come, in milliseconds; at most 0 when there is one. */
function waitMs({ capacity, refillMs }: TokenBucket): object {
  return { $subtract: [{ $subtract: [fullAt, '$$NOW'] }, (capacity - 1) * refillMs] }
}

/** When the bucket is full again once as many tokens have been taken as the row says. */
function fullAfterTaken({ refillMs }: TokenBucket): object {
  return { $add: [fullAt, { $multiply: ['$taken', refillMs] }] }
}

/** When the bucket is full again once a token has been given back. */
function fullAfterOneLess({ refillMs }: TokenBucket): object {
  return { $subtract: ['$fullAt', refillMs] }
}
