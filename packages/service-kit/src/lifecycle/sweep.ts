import { setTimeout as sleep } from 'node:timers/promises'
import { describeError, type Logger } from '../observability/logger.ts'

export type Sweep = {
  /** The pause when nothing is due. */
  everyMs: number
  /** Processes what is due. Resolves to true when there may be more. */
  sweep(signal: AbortSignal): Promise<boolean>
  /** The log message for a failed sweep. */
  failureMessage: string
  logger: Logger
}

/**
 * Runs a background task until disposed of. A sweep that fails runs again after the pause.
 * Every replica runs one, so a sweep must claim its work or be idempotent.
 */
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
