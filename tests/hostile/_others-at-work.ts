import type { ExecutionContext } from 'ava'
import type { Answer } from '../_family.ts'

/** How much one attacker may slow down others. */
const P95_MS = 750
const PAUSE_MS = 50
/** A short flood is repeated until others have made this many requests. */
const MIN_REQUESTS = 40
const MAX_FLOODS = 50

export type Work = { name: string; ask: () => Promise<Answer>; isGood: (answer: Answer) => boolean }

/**
 * Runs normal work while one attacker floods, again and again until there is enough work to judge. Asserts that nothing
 * fails, and that 95 of 100 requests finish within 750 ms.
 */
export async function workDuring(
  t: ExecutionContext,
  works: readonly Work[],
  flood: () => Promise<unknown>,
): Promise<void> {
  const times: number[] = []
  const problems: string[] = []
  let isOver = false
  const work = works.map(async ({ name, ask, isGood }) => {
    while (!isOver) {
      const startedAt = performance.now()
      const answer = await ask()
      times.push(performance.now() - startedAt)
      if (!isGood(answer)) problems.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  })
  try {
    for (let round = 0; round < MAX_FLOODS && (round === 0 || times.length < MIN_REQUESTS); round += 1) await flood()
  } finally {
    isOver = true
    await Promise.all(work)
  }
  const p95 = times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] as number
  t.deepEqual(problems, [])
  t.true(times.length >= MIN_REQUESTS, `only ${times.length} requests of others`)
  t.log(`${times.length} requests of others, p95 ${p95.toFixed(0)} ms`)
  t.true(p95 < P95_MS, `p95 of others: ${p95.toFixed(0)} ms`)
}

/** Sends many requests, a few at a time. @returns counts by status */
export async function floodWith(count: number, atOnce: number, ask: (index: number) => Promise<Answer>) {
  const statuses = new Map<number, number>()
  let next = 0
  const lane = async () => {
    for (let index = next++; index < count; index = next++) {
      const { status } = await ask(index)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return statuses
}
