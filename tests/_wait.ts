import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_EVERY_MS = 50
const DEADLINE_MS = 60_000

/** Polls until the condition holds. @returns whether it did in time */
export async function becomesTrue(
  look: () => Promise<boolean>,
  withinMs = DEADLINE_MS,
  everyMs = LOOK_EVERY_MS,
): Promise<boolean> {
  for (const giveUpAt = Date.now() + withinMs; Date.now() < giveUpAt; await sleep(everyMs))
    if (await look()) return true
  return look()
}

/** @throws if the condition does not hold in time */
export async function until(look: () => Promise<boolean>, withinMs = DEADLINE_MS): Promise<void> {
  if (!(await becomesTrue(look, withinMs))) throw new Error(`not true after ${withinMs / 1000} s`)
}

/** @throws with the last value, if it is not right in time */
export async function readUntil<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  let value = await read()
  for (const giveUpAt = Date.now() + DEADLINE_MS; !isRight(value); value = await read()) {
    if (Date.now() > giveUpAt) throw new Error(`still not right: ${JSON.stringify(value).slice(0, 1500)}`)
    await sleep(4 * LOOK_EVERY_MS)
  }
  return value
}
