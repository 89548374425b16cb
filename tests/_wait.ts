import { setTimeout as sleep } from 'node:timers/promises'

const DEADLINE_MS = 60_000
/** Most waits are short. In a long one each look costs the stack as much as a page. */
const PAUSE_MS = { first: 25, longest: 200 }

/**
 * Polls until the condition holds: often at first, then five times a second.
 * @param everyMs to meet what soon passes
 * @returns whether it did in time
 */
export async function becomesTrue(
  look: () => Promise<boolean>,
  withinMs = DEADLINE_MS,
  everyMs?: number,
): Promise<boolean> {
  const giveUpAt = Date.now() + withinMs
  for (let pause = PAUSE_MS.first; Date.now() < giveUpAt; pause = Math.min(1.5 * pause, PAUSE_MS.longest)) {
    if (await look()) return true
    await sleep(everyMs ?? pause)
  }
  return look()
}

/** @throws if the condition does not hold in time */
export async function until(look: () => Promise<boolean>, withinMs = DEADLINE_MS): Promise<void> {
  if (!(await becomesTrue(look, withinMs))) throw new Error(`not true after ${withinMs / 1000} s`)
}

/** @throws with the last value, if it is not right in time */
export async function readUntil<T>(
  read: () => Promise<T>,
  isRight: (value: T) => boolean,
  withinMs = DEADLINE_MS,
): Promise<T> {
  let last: { value: T } | undefined
  const look = async () => {
    last = { value: await read() }
    return isRight(last.value)
  }
  if ((await becomesTrue(look, withinMs)) && last !== undefined) return last.value
  throw new Error(`still not right: ${JSON.stringify(last?.value).slice(0, 1500)}`)
}
