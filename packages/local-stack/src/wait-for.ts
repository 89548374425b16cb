import { setTimeout as sleep } from 'node:timers/promises'

/** Calls `probe` until it returns something. @throws what `probe` throws, or `timeout` after `timeoutMs` */
export async function waitFor<T>(
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
