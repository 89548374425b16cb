import type { StartSample } from '../load/measure-starts.ts'
import { spreadOf } from '../measure/statistics.ts'
import { shown, table } from './table.ts'

const FIGURES = { startsPerSecond: 0, p50Ms: 2, p99Ms: 2, cpuUsPerStart: 0 } as const
type Figure = keyof typeof FIGURES
const figures = Object.keys(FIGURES) as Figure[]
const PAIRS = [
  ['ours', 'bare'],
  ['ours', 'refused'],
] as const

export function summariseStarts(samples: readonly StartSample[]) {
  const of = (name: string) => samples.filter(({ server }) => server === name)
  const spreads = (name: string) =>
    Object.fromEntries(figures.map((figure) => [figure, spreadOf(of(name).map((sample) => sample[figure]))]))
  const ratio = (above: string, below: string, figure: Figure) =>
    spreadOf(
      of(above).map((sample) => {
        const other = of(below).find(({ round }) => round === sample.round)
        return sample[figure] / (other?.[figure] ?? Number.NaN)
      }),
    )
  return {
    servers: Object.fromEntries(['ours', 'bare', 'refused'].map((name) => [name, spreads(name)])),
    ratios: Object.fromEntries(
      PAIRS.map(([above, below]) => [
        `${above}/${below}`,
        Object.fromEntries(figures.map((figure) => [figure, ratio(above, below, figure)])),
      ]),
    ),
    cpuUsByProcess: Object.fromEntries(of('ours').flatMap(({ cpuUsByProcess }) => Object.entries(cpuUsByProcess))),
    noisy: samples.filter(({ isNoisy }) => isNoisy).length,
    measured: samples.length,
  }
}

export function startTable({ servers, ratios, cpuUsByProcess, ...counts }: ReturnType<typeof summariseStarts>): string {
  const heading = ['starts/s', 'p50 ms', 'p99 ms', 'CPU µs/start']
  const row = ([name, spreads]: [string, Record<string, ReturnType<typeof spreadOf>>], digits?: number) => [
    name,
    ...figures.map((figure) => (spreads[figure] ? shown(spreads[figure], digits ?? FIGURES[figure]) : '')),
  ]
  const used = Object.entries(cpuUsByProcess).map(([name, us]) => `${name} ${us.toFixed(0)}`)
  return [
    '\nStarts of a sandbox workspace, 16 connections: median [min–max] of the rounds',
    table([['', ...heading], ...Object.entries(servers).map((entry) => row(entry))]),
    '',
    table([['ratio', ...heading], ...Object.entries(ratios).map((entry) => row(entry, 2))]),
    `  our CPU µs/start in the last round: ${used.join(', ')}`,
    `  noisy measurements: ${counts.noisy} of ${counts.measured}`,
  ].join('\n')
}
