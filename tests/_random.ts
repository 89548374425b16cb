import { randomInt } from 'node:crypto'

export type Random = {
  /** Tests print it. Set TEST_SEED to it to repeat their choices. */
  seed: number
  /** A whole number, `min` inclusive, `max` exclusive. */
  between(min: number, max: number): number
  shuffled<T>(items: readonly T[]): T[]
}

/** Repeatable pseudo-random choices (mulberry32). */
export function createRandom(seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31))): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min))
  return {
    seed,
    between,
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
  }
}

/** Small by default; with TEST_SCALE=full as large as the promises say. */
export function scaled(small: number, full: number): number {
  return process.env.TEST_SCALE === 'full' ? full : small
}
