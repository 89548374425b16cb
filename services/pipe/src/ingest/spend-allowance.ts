import { Verdict } from '@family-inbox/proto/pipe/v1/pipe'
import type { Context } from '../context.ts'
import { type Arrival, decide } from './arrival.ts'

export async function spendAllowance(ctx: Context, arrivals: readonly Arrival[]): Promise<void> {
  const byPartner = Map.groupBy(arrivals, ({ partner }) => partner?._id ?? '')
  await Promise.all(
    [...byPartner].map(async ([partnerId, own]) => {
      const { granted, retryAfterSec } = await ctx.takeAllowance(partnerId, own.length)
      for (const arrival of own.slice(granted)) decide(arrival, Verdict.LIMITED, { retryAfterSec })
    }),
  )
}
