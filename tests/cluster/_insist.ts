import { setTimeout as sleep } from 'node:timers/promises'

const GIVE_UP_MS = 120_000
const RETRY_MS = 100

/** Calls again until there is an answer. @throws after two minutes without one, with all reasons */
export async function insist<T>(call: () => Promise<T | undefined>): Promise<T> {
  const reasons = new Set<string>()
  for (const giveUpAt = Date.now() + GIVE_UP_MS; Date.now() < giveUpAt; await sleep(RETRY_MS)) {
    try {
      const answer = await call()
      if (answer !== undefined) return answer
    } catch (error) {
      reasons.add(String(error))
    }
  }
  throw new Error([`No answer after ${GIVE_UP_MS / 1000} s.`, ...reasons].join('\n'))
}
