import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo'
import type { Context } from '../context.ts'
import type { Allowance } from '../models/allowance.ts'
import { type Arrival, decide } from './arrival.ts'

const WINDOW_SEC = 60

/**
 * Takes the events out of their partners' allowance and refuses those that are too many: no more than the limit in any 60
 * seconds, whichever replicas are asked. One atomic update for each partner decides, by MongoDB's clock.
 */
export async function spendAllowance(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  const byPartner = Map.groupBy(arrivals, ({ partner }) => partner?._id ?? '')
  await Promise.all(
    [...byPartner].map(async ([partnerId, own]) => {
      const { granted, taken, now } = await takeFrom(ctx, partnerId, own.length)
      const retryAfterSec = secondsToWait(taken, now)
      for (const arrival of own.slice(granted)) decide(arrival, Verdict.LIMITED, { retryAfterSec })
    }),
  )
}

/** When the oldest second that counts counts no more. */
function secondsToWait(taken: Allowance['taken'], now: number): number {
  const oldest = Math.min(...taken.map(({ second }) => second))
  return Math.max(1, oldest + WINDOW_SEC + 1 - now)
}

async function takeFrom(ctx: Context, partnerId: string, wanted: number): Promise<Allowance> {
  const take = () =>
    ctx.allowances.collection.findOneAndUpdate(
      { _id: partnerId as never },
      taking(wanted, ctx.config.eventsPerMinute),
      {
        upsert: true,
        returnDocument: 'after',
        writeConcern: { w: 1 },
      },
    )
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
  const filtered = (cond: object) => ({ $filter: { input: '$taken', cond } })
  const room = { $subtract: [limit, { $sum: '$taken.events' }] }
  const takenNow = {
    $reduce: { input: filtered(ofNow), initialValue: '$granted', in: { $add: ['$$value', '$$this.events'] } },
  }
  return [
    { $set: { now, taken: { $ifNull: ['$taken', []] } } },
    { $set: { taken: filtered(stillCounts) } },
    { $set: { granted: { $max: [0, { $min: [wanted, room] }] } } },
    {
      $set: {
        taken: { $concatArrays: [filtered({ $not: ofNow }), [{ second: '$now', events: takenNow }]] },
      },
    },
  ]
}
