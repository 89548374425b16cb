import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from '../context.ts'
import { purgeLink } from './purge-link.ts'

const SWEEP_EVERY_MS = 5000
/** Younger purges are still being made by the call that asked for them. */
const LEFT_BEHIND_MS = 5000
const LONGEST_MS = 60_000
const MOST_AT_ONCE = 20

/** Finishes, every few seconds, purges that were too large for the call that asked for them, or whose process died. */
export function sweepPurges(ctx: Context): AsyncDisposable {
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
      await sweepOnce(ctx, signal)
    } catch (error) {
      ctx.logger.warn(describeError(error), 'purges could not be finished yet')
    }
    await sleep(SWEEP_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function sweepOnce(ctx: Context, signal: AbortSignal): Promise<void> {
  const leftBehind = { doneAt: null, purgedAt: { $lt: new Date(Date.now() - LEFT_BEHIND_MS) } }
  for (const { _id } of await ctx.purgedLinks.find(leftBehind, { _id: 1 }).limit(MOST_AT_ONCE).lean()) {
    if (signal.aborted) return
    await purgeLink(ctx, _id, Date.now() + LONGEST_MS)
  }
}
