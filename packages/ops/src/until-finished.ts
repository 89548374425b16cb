import { setTimeout as sleep } from 'node:timers/promises'
import { StatusError } from '@family-inbox/service-kit/status-error'

const PATIENCE_MS = 5 * 60_000
const PAUSE_MS = 500

/**
 * Asks again while the answer is that there is more to do than one call has time for.
 * @throws StatusError as it is answered otherwise, or after five minutes
 */
export async function untilFinished<T>(ask: () => Promise<T>): Promise<T> {
  for (const giveUpAt = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await ask()
    } catch (error) {
      const isUnfinished = error instanceof StatusError && UNFINISHED.includes(error.status)
      if (!isUnfinished || Date.now() > giveUpAt) throw error
    }
  }
}

const UNFINISHED: string[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED']
