import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '../observability/logger.ts'

export type Sweep = {
  everyMs: number
  sweep(signal: AbortSignal): Promise<boolean>
  failureMessage: string
  logger: Logger
}

/** Runs a background task on every replica, so a sweep must claim its work or be idempotent. Retries after errors. */
export function startSweeper({ everyMs, sweep, failureMessage, logger }: Sweep): AsyncDisposable {
  const stop = new AbortController()
  const { signal } = stop

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        while ((await sweep(signal)) && !signal.aborted) {}
      } catch (error) {
        logger.warn(describeError(error), failureMessage)
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
