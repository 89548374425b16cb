import type { FloodFigures } from '../load/flood.ts'
import { type Spread, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

export type OverloadFigures = FloodFigures & {
  offeredPerSecond: number
  /** Average processors in use, by the services and by the caller. */
  cpus: number
  loadCpus: number
  cpusByProcess: Record<string, number>
}

export type OverloadSample = { round: number; peak: OverloadFigures; flood: OverloadFigures }

type Row = Record<'goodPerSecond' | 'refusedPerSecond' | 'latePerSecond' | 'p99Ms' | 'cpus' | 'loadCpus', Spread>

export function summariseOverload(samples: readonly OverloadSample[]) {
  return {
    peak: rowOf(samples.map(({ peak }) => peak)),
    flood: rowOf(samples.map(({ flood }) => flood)),
    /** Goodput under overload, divided by goodput at capacity. */
    ratio: spreadOf(samples.map(({ peak, flood }) => goodput(flood) / goodput(peak))),
    /** The same per processor of the services. */
    ratioPerCpu: spreadOf(samples.map(({ peak, flood }) => goodput(flood) / flood.cpus / (goodput(peak) / peak.cpus))),
  }
}

export function overloadTable({ peak, flood, ratio, ratioPerCpu }: ReturnType<typeof summariseOverload>): string {
  const row = (name: string, { goodPerSecond, refusedPerSecond, latePerSecond, p99Ms, cpus, loadCpus }: Row) => [
    name,
    ...[goodPerSecond, refusedPerSecond, latePerSecond, p99Ms].map((spread) => shown(spread, 0)),
    ...[cpus, loadCpus].map((spread) => shown(spread, 2)),
  ]
  return [
    '\nlist_inbox_messages at and above capacity: median [min–max] of the rounds',
    table([
      ['', 'answered/s', 'refused/s', 'too late/s', 'p99 ms', 'our CPUs', 'caller’s CPUs'],
      row('at capacity', peak),
      row('4 times that', flood),
    ]),
    `  goodput under overload / at capacity: ${shown(ratio, 2)} (promised: 0.80); for each CPU: ${shown(ratioPerCpu, 2)}`,
  ].join('\n')
}

function rowOf(figures: readonly OverloadFigures[]): Row {
  const of = (value: (one: OverloadFigures) => number) => spreadOf(figures.map(value))
  return {
    goodPerSecond: of(goodput),
    refusedPerSecond: of(({ refused, seconds }) => refused / seconds),
    latePerSecond: of(({ late, seconds }) => late / seconds),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpus: of(({ cpus }) => cpus),
    loadCpus: of(({ loadCpus }) => loadCpus),
  }
}

function goodput({ good, seconds }: FloodFigures): number {
  return good / seconds
}
