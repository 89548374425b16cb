import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '../observability/logger.ts'

export type Sweep = {
  /** How long to rest when nothing is due. */
  everyMs: number
  /** Deals with what is due; whether there may be more of it to deal with at once. */
  sweep(signal: AbortSignal): Promise<boolean>
  /** What is logged when it fails. */
  trouble: string
  logger: Logger
}

/**
 * Finishes what calls and crashes leave behind, for as long as the process lives. A sweep that fails is tried again after the rest.
 * Any number of replicas may run one, so a sweep takes up what it deals with, or does what may be done twice.
 */
export function startSweeper({ everyMs, sweep, trouble, logger }: Sweep): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        while ((await sweep(signal)) && !signal.aborted) {}
      } catch (error) {
        logger.warn(describeError(error), trouble)
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
