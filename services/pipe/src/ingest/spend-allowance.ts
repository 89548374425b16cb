import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { createKeyedBatcher } from '@family-inbox/service-kit/rpc/batch'
import type { Context } from '../context.ts'
import type { Allowance, allowanceModel } from '../models/allowance.ts'
import { type Arrival, decide } from './arrival.ts'

/** Takes the events out of their partners' allowance and refuses those that are too many. */
export async function spendAllowance(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  const byPartner = Map.groupBy(arrivals, ({ partner }) => partner?._id ?? '')
  await Promise.all(
    [...byPartner].map(async ([partnerId, own]) => {
      const { granted, retryAfterSec } = await ctx.takeAllowance(partnerId, own.length)
      for (const arrival of own.slice(granted)) decide(arrival, Verdict.LIMITED, { retryAfterSec })
    }),
  )
}

/** How many of the events asked for a partner may send now, and after how many seconds the next. */
export type TakeAllowance = (partnerId: string, events: number) => Promise<Grant>

type Grant = { granted: number; retryAfterSec: number }

const WINDOW_SEC = 60
/** Above this the setting means "no limit": nothing is counted. */
const MOST_COUNTED = 100_000

/**
 * Makes what takes events out of a partner's allowance: no more than the limit in any 60 seconds, whichever replicas are
 * asked. One atomic update decides, by MongoDB's clock; who asks for a partner while another does shares the next update,
 * since two at the same moment would only get into each other's way.
 */
export function createTakeAllowance(allowances: ReturnType<typeof allowanceModel>, limit: number): TakeAllowance {
  if (limit > MOST_COUNTED) return async (_partnerId, events) => ({ granted: events, retryAfterSec: 0 })
  return createKeyedBatcher((partnerId, startRequests) => takeTogether(allowances, partnerId, limit, startRequests))
}

async function takeTogether(
  allowances: ReturnType<typeof allowanceModel>,
  partnerId: string,
  limit: number,
  startRequests: number[],
): Promise<Grant[]> {
  const wanted = startRequests.reduce((sum, events) => sum + events, 0)
  const { granted, taken, now } = await takeFrom(allowances, partnerId, limit, wanted)
  const retryAfterSec = secondsToWait(taken, now)
  let left = granted
  return startRequests.map((events) => {
    const share = Math.min(events, left)
    left -= share
    return { granted: share, retryAfterSec }
  })
}

/** When the oldest second that counts counts no more. */
function secondsToWait(taken: Allowance['taken'], now: number): number {
  const oldest = Math.min(...taken.flatMap(({ second, events }) => (events > 0 ? second : [])))
  return Math.max(1, oldest + WINDOW_SEC + 1 - now)
}

async function takeFrom(
  allowances: ReturnType<typeof allowanceModel>,
  partnerId: string,
  limit: number,
  wanted: number,
): Promise<Allowance> {
  const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const
  const take = () => allowances.collection.findOneAndUpdate({ _id: partnerId as never }, taking(wanted, limit), options)
  // Two first events of one partner may both try to make its row; one of them is told that it is there already.
  const row = await take().catch((error) => {
    if (isDuplicateKey(error)) return take()
    throw error
  })
  return row as unknown as Allowance
}

/** A second counts for as long as any moment of it lies in the window, so the limit is never passed. */
function taking(wanted: number, limit: number): object[] {
  const now = { $toLong: { $divide: [{ $toLong: '$$NOW' }, 1000] } }
  const stillCounts = { $gt: ['$$this.second', { $subtract: ['$now', WINDOW_SEC + 1] }] }
  const ofNow = { $eq: ['$$this.second', '$now'] }
  const filtered = (cond: object) => ({ $filter: { input: '$taken', as: 'this', cond } })
  const room = { $subtract: [limit, { $sum: '$taken.events' }] }
  const inThisSecond = {
    $reduce: { input: filtered(ofNow), initialValue: 0, in: { $add: ['$$value', '$$this.events'] } },
  }
  const withThese = [{ second: '$now', events: { $add: [inThisSecond, '$granted'] } }]
  return [
    { $set: { now, taken: { $ifNull: ['$taken', []] } } },
    { $set: { taken: filtered(stillCounts) } },
    { $set: { granted: { $max: [0, { $min: [wanted, room] }] } } },
    { $set: { taken: { $concatArrays: [filtered({ $not: ofNow }), withThese] } } },
  ]
}
