import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@family-inbox/local-stack/wait-for'

export type Rounds = {
  /** Why rounds failed. */
  refusals: string[]
  done(): number
  /** Resolves when so many more are done, or one failed. */
  goesOn(more: number): Promise<void>
  stop(): Promise<void>
}

const PACE_MS = 10
const STILL_MS = 60_000

/**
 * Repeats a round until stopped or the stack is disposed of.
 * @param round false when it was late, as happens on a busy machine; an error is a failure
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
      await waitFor(enough, { timeoutMs: STILL_MS, timeout: () => new Error('no rounds complete') })
    },
    stop,
  }
}
