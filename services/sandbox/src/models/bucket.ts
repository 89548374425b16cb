import { upsertOnce } from '@family-inbox/service-kit/mongo/rows'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

/** A client network's rate limit. No row means a full bucket. */
export type Bucket = {
  /** A keyed hash that does not reveal the network. */
  _id: string
  fullAt: Date
  taken: number
  waitMs: number
}

const schema = rowSchema<Bucket>(
  'buckets',
  { _id: String, fullAt: Date, taken: Number, waitMs: Number },
  {},
  { global: 'limits networks', shardKey: { _id: 'hashed' }, rowsPerWorkspace: 0.01, rowBytes: 150 },
)
schema.index({ fullAt: 1 }, { expireAfterSeconds: 0 })

export function bucketModel(connection: Connection) {
  return connection.model('Bucket', schema)
}

type Buckets = ReturnType<typeof bucketModel>

export type TokenBucket = { capacity: number; refillMs: number }

/** Takes tokens for several callers of a network in an atomic update. Undefined, or how long to wait. */
export async function takeTokens(
  buckets: Buckets,
  _id: string,
  requested: readonly TokenBucket[],
): Promise<(number | undefined)[]> {
  const bucket = requested[0] as TokenBucket
  const row = await upsertOnce(() =>
    buckets.collection.findOneAndUpdate(
      { _id: _id as never },
      [
        { $set: { taken: grantable(bucket, requested.length) } },
        { $set: { fullAt: { $cond: [{ $gt: ['$taken', 0] }, fullAfterTaken(bucket), '$fullAt'] } } },
        { $set: { waitMs: waitMs(bucket) } },
      ],
      { upsert: true, returnDocument: 'after', projection: { taken: 1, waitMs: 1 }, writeConcern: { w: 1 } },
    ),
  )
  const { taken, waitMs: wait } = row as unknown as Bucket
  return requested.map((_, index) => (index < taken ? undefined : wait))
}

export async function refundOne(buckets: Buckets, _id: string, bucket: TokenBucket): Promise<void> {
  await buckets.collection.updateOne({ _id: _id as never }, [{ $set: { fullAt: fullAfterRefund(bucket) } }], {
    writeConcern: { w: 1 },
  })
}

/** A bucket is stored as the moment it will be full again; each token taken moves that one refill later. */
const fullAt = { $max: [{ $ifNull: ['$fullAt', '$$NOW'] }, '$$NOW'] }

function grantable({ capacity, refillMs }: TokenBucket, requested: number): object {
  const available = { $subtract: [capacity * refillMs, { $subtract: [fullAt, '$$NOW'] }] }
  return { $max: [0, { $min: [requested, { $floor: { $divide: [available, refillMs] } }] }] }
}

/** Milliseconds until the next token; at most 0 when there is one. */
function waitMs({ capacity, refillMs }: TokenBucket): object {
  return { $subtract: [{ $subtract: [fullAt, '$$NOW'] }, (capacity - 1) * refillMs] }
}

function fullAfterTaken({ refillMs }: TokenBucket): object {
  return { $add: [fullAt, { $multiply: ['$taken', refillMs] }] }
}

function fullAfterRefund({ refillMs }: TokenBucket): object {
  return { $subtract: ['$fullAt', refillMs] }
}
