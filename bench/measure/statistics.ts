/** The median and the spread of several measurements. */
export type Spread = { median: number; min: number; max: number }

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

/**
 * A quantile, interpolated.
 * @param sorted ascending
 * @param share from 0 to 1
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

export function shuffled<T>(things: readonly T[]): T[] {
  return things
    .map((thing) => ({ thing, position: Math.random() }))
    .sort((a, b) => a.position - b.position)
    .map(({ thing }) => thing)
}
