import { setTimeout as sleep } from 'node:timers/promises'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

const PAUSE_MS = 500
const UNFINISHED: string[] = ['UNAVAILABLE', 'DEADLINE_EXCEEDED']

/** For calls that report UNAVAILABLE or time out while work remains. @param withinMs when the last attempt may begin */
export async function retryUntilDone<T>(withinMs: number, call: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(PAUSE_MS)) {
    try {
      return await call()
    } catch (error) {
      const isUnfinished = error instanceof StatusError && UNFINISHED.includes(error.status)
      if (!isUnfinished || Date.now() > deadline) throw error
    }
  }
}
