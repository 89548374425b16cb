import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '@family-inbox/local-stack/poll'

export type Rounds = {
  /** Why rounds were refused, in words. */
  refusals: string[]
  done(): number
  /** Resolves when so many more are done, or anything was refused. */
  goesOn(more: number): Promise<void>
  stop(): Promise<void>
}

const PACE_MS = 10
const STILL_MS = 60_000

/**
 * Does the same over and over, one round after the other, until it is told to stop, or the stack is disposed of.
 * @param round false when it was late: on a busy machine a call may take longer than it has, and the next round tells. What it
 *   throws is a refusal.
 */
export function goRound(stack: AsyncDisposableStack, round: (nth: number) => Promise<boolean>): Rounds {
  const refusals: string[] = []
  let done = 0
  let isOn = true
  const work = (async () => {
    for (let nth = 0; isOn; nth++, await sleep(PACE_MS)) {
      try {
        if (await round(nth)) done++
      } catch (error) {
        refusals.push(String(error))
      }
    }
  })()
  const stop = async () => {
    isOn = false
    await work
  }
  stack.defer(stop)
  return {
    refusals,
    done: () => done,
    async goesOn(more) {
      const target = done + more
      const enough = async () => done >= target || refusals.length > 0 || undefined
      await poll(enough, { timeoutMs: STILL_MS, timeout: () => new Error('the rounds stand still') })
    },
    stop,
  }
}
