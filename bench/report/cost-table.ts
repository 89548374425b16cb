import type { Noise } from '../measure/quiet.ts'
import { spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

export type CostSample = Noise & {
  name: string
  count: number
  /** Seconds until the work of all was done. */
  elapsed: number
  /** Processor time of each, in microseconds. */
  usByProcess: Record<string, number>
  bytes: { data: number; indexes: number }
}

export function costTable(samples: readonly CostSample[]): string {
  const kinds = Map.groupBy(samples, ({ name }) => name)
  const parts = Object.keys(samples[0]?.usByProcess ?? {})
  const rows = [...kinds].map(([name, of]) => [
    name,
    shown(spreadOf(of.map(totalOf)), 0),
    ...parts.map((part) => median(of, ({ usByProcess }) => usByProcess[part] ?? 0)),
    median(of, ({ bytes }) => bytes.data),
    median(of, ({ bytes }) => bytes.indexes),
    median(of, ({ count, elapsed }) => count / elapsed),
  ])
  return [
    '\nProcessor time of one, in µs: median [min–max] of the rounds, then of each process; and bytes stored, before compression',
    table([['', 'in all', ...parts, 'bytes', 'of indexes', 'a second'], ...rows]),
  ].join('\n')
}

export function totalOf({ usByProcess }: CostSample): number {
  return Object.values(usByProcess).reduce((sum, us) => sum + us, 0)
}

function median(samples: readonly CostSample[], figure: (sample: CostSample) => number): string {
  return spreadOf(samples.map(figure)).median.toFixed(0)
}
