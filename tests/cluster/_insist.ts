import { setTimeout as sleep } from 'node:timers/promises'

const GIVE_UP_MS = 120_000
const RETRY_MS = 100

/** Calls again until there is an answer. @throws after two minutes without one */
export async function insist<T>(call: () => Promise<T | undefined>): Promise<T> {
  for (const giveUpAt = Date.now() + GIVE_UP_MS; ; await sleep(RETRY_MS)) {
    try {
      const answer = await call()
      if (answer !== undefined) return answer
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
    }
    if (Date.now() > giveUpAt) throw new Error(`no answer after ${GIVE_UP_MS / 1000} s`)
  }
}
