import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks again and again until the answer is not undefined.
 * @param probe one question; what it throws ends the wait
 * @throws `timeout` when there was no answer in `timeoutMs`
 */
export async function poll<T>(
  probe: () => Promise<T | undefined>,
  { timeoutMs, everyMs = 20, timeout }: { timeoutMs: number; everyMs?: number; timeout: () => Error },
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const answer = await probe()
    if (answer !== undefined) return answer
    if (Date.now() > deadline) throw timeout()
    await sleep(everyMs)
  }
}
