import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Options } from '../measure/options.ts'
import type { Noise } from '../measure/quiet.ts'
import { type Spread, shuffled, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

export type Pair = { name: string; small: () => Promise<unknown>; large: () => Promise<unknown> }

type PairSample = Noise & { round: number; isNoisy: boolean; name: string; smallMs: number; largeMs: number }

export type Comparison = { name: string; small: Spread; large: Spread; ratio: Spread }

/** The least pairs, even if time is short. */
const LEAST = 15

/**
 * Asks the small and the large in turn, so that other work on the machine affects both equally.
 * @param processes the processes under test; the rest of the machine counts as noise
 */
export async function compareInTurn(
  pairs: Pair[],
  processes: Record<string, number>,
  { rounds, seconds, quietly, say }: Options,
): Promise<{ summary: Comparison[]; samples: PairSample[] }> {
  const samples: PairSample[] = []
  for (const pair of pairs) await measure(pair, processes, 0)
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const pair of shuffled(pairs))
      samples.push({ round, name: pair.name, ...(await quietly(() => measure(pair, processes, seconds))) })
  }
  return { summary: pairs.map(({ name }) => summarise(samples, name)), samples }
}

async function measure({ small, large }: Pair, processes: Record<string, number>, seconds: number) {
  const readCpu = startCpuMeter(processes, process.pid)
  const times = { small: [] as number[], large: [] as number[] }
  const until = performance.now() + seconds * 1000
  while (performance.now() < until || times.large.length < LEAST) {
    times.small.push(await timeOf(small))
    times.large.push(await timeOf(large))
  }
  const { foreignCpus, stolenCpus } = readCpu()
  const [smallMs, largeMs] = [spreadOf(times.small).median, spreadOf(times.large).median]
  return { smallMs, largeMs, foreignCpus, stolenCpus }
}

async function timeOf(ask: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await ask()
  return performance.now() - started
}

function summarise(samples: PairSample[], name: string): Comparison {
  const taken = samples.filter((sample) => sample.name === name)
  return {
    name,
    small: spreadOf(taken.map(({ smallMs }) => smallMs)),
    large: spreadOf(taken.map(({ largeMs }) => largeMs)),
    ratio: spreadOf(taken.map(({ smallMs, largeMs }) => largeMs / smallMs)),
  }
}

export function comparisonTable(title: string, summary: Comparison[]): string {
  const rows = summary.map(({ name, small, large, ratio }) => [name, shown(small, 2), shown(large, 2), shown(ratio, 2)])
  return `\n${title}, one caller, p50 ms: median [min–max] of the rounds\n${table([['', 'small', 'large', 'ratio'], ...rows])}`
}
