import { compare, type Position, positionText, type Slice, timeOf } from '../position.ts'

/**
 * The slices that lead from a position to a time, each beginning where the one before ends. Pure.
 * @throws where one is missing, because what it had would silently be lost
 */
export function chainOf(slices: readonly Slice[], from: Position, until: Date): Slice[] {
  const chain: Slice[] = []
  let reached = from
  while (timeOf(reached) <= until) {
    const next = slices.find((slice) => compare(slice.from, reached) <= 0 && compare(slice.to, reached) > 0)
    if (next === undefined) throw new Error(wordsFor(slices, reached))
    if (chain.length > 0 && compare(next.from, reached) !== 0) throw new Error(wordsFor(slices, reached))
    chain.push(next)
    reached = next.to
  }
  return chain
}

function wordsFor(slices: readonly Slice[], reached: Position): string {
  const later = slices.find((slice) => compare(slice.from, reached) > 0)
  const at = `${timeOf(reached).toISOString()} (${positionText(reached)})`
  return later === undefined
    ? `The slices of the oplog end at ${at}. Name that time or an earlier one.`
    : `There is a gap in the slices of the oplog: none begins at ${at}, and the next one at ${positionText(later.from)}. Restore to an earlier time, or take a backup from after the gap.`
}
