import { type Spread, shuffled, spreadOf } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import type { Peer } from '../peers/peer.ts'
import { shown, table } from '../report/table.ts'
import type { Household } from '../world/household.ts'
import { mintKeys } from '../world/mint-keys.ts'
import { type CallSample, startCallLoad } from './measure-calls.ts'

/** One call, of the small and of the large. */
export type Sizes = { name: string; small: string; large: string }

const WARM_UP_SECONDS = 2

/** Measures the same calls on something small and on something large, taking turns. @param calls request bodies */
export async function compareSizes(
  household: Household,
  peer: Peer,
  calls: Sizes[],
  { rounds, seconds, keys: keyCount, quietly, say }: Options,
) {
  const keys = await mintKeys(household, keyCount)
  await using load = await startCallLoad(household, keys)
  const all = calls.flatMap(({ name, small, large }) => [
    { tool: `${name}, small`, body: small, peer },
    { tool: `${name}, large`, body: large, peer },
  ])
  for (const call of all) await load.measure(call, WARM_UP_SECONDS)
  const samples: CallSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const call of shuffled(all)) samples.push({ round, ...(await quietly(() => load.measure(call, seconds))) })
  }
  return { summary: calls.map(({ name }) => summarise(samples, name)), samples }
}

type Summary = { name: string; small: Spread; large: Spread; ratio: Spread }

function summarise(samples: CallSample[], name: string): Summary {
  const p50s = (tool: string) =>
    samples
      .filter((sample) => sample.tool === tool)
      .sort((a, b) => a.round - b.round)
      .map(({ p50Ms }) => p50Ms)
  const [small, large] = [p50s(`${name}, small`), p50s(`${name}, large`)]
  const ratios = large.map((p50, round) => p50 / (small[round] ?? Number.NaN))
  return { name, small: spreadOf(small), large: spreadOf(large), ratio: spreadOf(ratios) }
}

export function sizesTable(title: string, summary: Summary[]): string {
  const rows = summary.map(({ name, small, large, ratio }) => [name, shown(small, 2), shown(large, 2), shown(ratio, 2)])
  return `\n${title}, 16 connections, p50 ms: median [min–max] of the rounds\n${table([['', 'small', 'large', 'ratio'], ...rows])}`
}
