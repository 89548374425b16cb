import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { createKeyedBatcher } from '@family-inbox/service-kit/rpc/batch'
import { rowSchema } from '@family-inbox/workspace-kit/row-schema'
import type { Connection } from 'mongoose'

const WINDOW_SEC = 60
/** Above this limit nothing is counted or limited. */
const MAX_COUNTED = 100_000

type RateLimit = {
  _id: string
  taken: { second: number; events: number }[]
  granted: number
  now: number
}

/** The collection keeps its older name: replicas of two versions count together. */
const schema = rowSchema<RateLimit>(
  'allowances',
  {
    _id: String,
    taken: [{ second: Number, events: Number, _id: false }],
    granted: Number,
    now: Number,
  },
  {},
  { global: 'limits agencies' },
)

export function rateLimitModel(connection: Connection) {
  return connection.model('RateLimit', schema)
}

export type TakeEvents = (partnerId: string, events: number) => Promise<Grant>

type Grant = { granted: number; retryAfterSec: number }

/** Takes in an atomic update by MongoDB's clock across all replicas. Concurrent calls for a partner share it. */
export function createTakeEvents(rateLimits: ReturnType<typeof rateLimitModel>, limit: number): TakeEvents {
  if (limit > MAX_COUNTED) return async (_partnerId, events) => ({ granted: events, retryAfterSec: 0 })
  return createKeyedBatcher((partnerId, requests) => takeForAll(rateLimits, partnerId, limit, requests))
}

async function takeForAll(
  rateLimits: ReturnType<typeof rateLimitModel>,
  partnerId: string,
  limit: number,
  requests: number[],
): Promise<Grant[]> {
  const wanted = requests.reduce((sum, events) => sum + events, 0)
  const { granted, taken, now } = await takeFrom(rateLimits, partnerId, limit, wanted)
  const retryAfterSec = secondsToWait(taken, now)
  let left = granted
  return requests.map((events) => {
    const share = Math.min(events, left)
    left -= share
    return { granted: share, retryAfterSec }
  })
}

function secondsToWait(taken: RateLimit['taken'], now: number): number {
  const oldest = Math.min(...taken.flatMap(({ second, events }) => (events > 0 ? second : [])))
  return Math.max(1, oldest + WINDOW_SEC + 1 - now)
}

async function takeFrom(
  rateLimits: ReturnType<typeof rateLimitModel>,
  partnerId: string,
  limit: number,
  wanted: number,
): Promise<RateLimit> {
  const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const
  const take = () => rateLimits.collection.findOneAndUpdate({ _id: partnerId as never }, taking(wanted, limit), options)
  // Two first events may both try to insert the row; the second finds it on retry.
  const row = await take().catch((error) => {
    if (isDuplicateKey(error)) return take()
    throw error
  })
  return row as unknown as RateLimit
}

/** A second counts while any part of it is in the window, so the limit is never exceeded. */
function taking(wanted: number, limit: number): object[] {
  const now = { $toLong: { $divide: [{ $toLong: '$$NOW' }, 1000] } }
  const stillCounts = { $gt: ['$$this.second', { $subtract: ['$now', WINDOW_SEC + 1] }] }
  const ofNow = { $eq: ['$$this.second', '$now'] }
  const filtered = (cond: object) => ({ $filter: { input: '$taken', as: 'this', cond } })
  const available = { $subtract: [limit, { $sum: '$taken.events' }] }
  const inThisSecond = {
    $reduce: { input: filtered(ofNow), initialValue: 0, in: { $add: ['$$value', '$$this.events'] } },
  }
  const withThese = [{ second: '$now', events: { $add: [inThisSecond, '$granted'] } }]
  return [
    { $set: { now, taken: { $ifNull: ['$taken', []] } } },
    { $set: { taken: filtered(stillCounts) } },
    { $set: { granted: { $max: [0, { $min: [wanted, available] }] } } },
    { $set: { taken: { $concatArrays: [filtered({ $not: ofNow }), withThese] } } },
  ]
}
