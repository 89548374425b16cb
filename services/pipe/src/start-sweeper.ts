import { setTimeout as sleep } from 'node:timers/promises'
import { describeError } from '@family-inbox/service-kit/logger'
import type { Context } from './context.ts'
import { sweepUnpublished } from './delivery/sweep-unpublished.ts'
import { sweepPurges } from './purge/sweep-purges.ts'

const SWEEP_EVERY_MS = 1000

/** Finishes, every second, what was left half-way. Any number of replicas may sweep. */
export function startSweeper(ctx: Context): AsyncDisposable {
  const stop = new AbortController()
  const sweeping = Promise.all([
    sweepUntil(ctx, sweepUnpublished, stop.signal),
    sweepUntil(ctx, sweepPurges, stop.signal),
  ])
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await sweeping
    },
  }
}

async function sweepUntil(ctx: Context, sweep: (ctx: Context) => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await sweep(ctx)
    } catch (error) {
      ctx.logger.warn({ sweep: sweep.name, ...describeError(error) }, 'what is left half-way could not be finished yet')
    }
    await sleep(SWEEP_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
