import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import { REMOVED_WITHIN_MS, removeAccount } from './remove-account.ts'

const SWEEP_EVERY_MS = 2000

/** Goes on, every two seconds, with deleting accounts where a crash left off. Any number of replicas may. */
export function startAccountSweeper(ctx: Context): AsyncDisposable {
  const stop = new AbortController()
  const sweeping = sweepUntil(ctx, stop.signal)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await sweeping
    },
  }
}

async function sweepUntil(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      while (!signal.aborted && (await removeNext(ctx))) {}
    } catch (error) {
      // It is due again in a while; one that cannot be deleted never holds up the others.
      ctx.logger.warn(describeError(error), 'an account is not deleted yet')
    }
    await sleep(SWEEP_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Whether there was one to go on with. */
async function removeNext(ctx: Context): Promise<boolean> {
  const now = Date.now()
  const due = await ctx.accountRemovals
    .findOneAndUpdate(
      { dueAt: { $lte: new Date(now) } },
      { $set: { dueAt: new Date(now + REMOVED_WITHIN_MS) } },
      { sort: { dueAt: 1 } },
    )
    .lean()
  if (due) await removeAccount(ctx, due)
  return due !== null
}
