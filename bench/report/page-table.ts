import type { PageSample } from '../commands/site.ts'
import { spreadOf } from '../measure/statistics.ts'
import { shown, table } from './table.ts'

const FIGURES = { requestsPerSecond: 0, p50Ms: 2, p99Ms: 2, cpuUsPerRequest: 0, loadCpuUsPerRequest: 0 } as const
type Figure = keyof typeof FIGURES
const figures = Object.keys(FIGURES) as Figure[]
const SERVERS = ['direct', 'gateway', 'hop', 'bare'] as const

export function summarisePages(samples: readonly PageSample[]) {
  const of = (name: string) => samples.filter(({ server }) => server === name)
  const bareOf = (round: number) => of('bare').find((sample) => sample.round === round)
  const spreads = (name: string) =>
    Object.fromEntries(figures.map((figure) => [figure, spreadOf(of(name).map((sample) => sample[figure]))]))
  const ratios = (name: string) =>
    Object.fromEntries(
      figures.map((figure) => [
        figure,
        spreadOf(of(name).map((sample) => sample[figure] / (bareOf(sample.round)?.[figure] ?? Number.NaN))),
      ]),
    )
  return {
    servers: Object.fromEntries(SERVERS.map((name) => [name, spreads(name)])),
    ratios: { 'direct/bare': ratios('direct'), 'gateway/bare': ratios('gateway'), 'hop/bare': ratios('hop') },
    noisy: samples.filter(({ isNoisy }) => isNoisy).length,
    measured: samples.length,
  }
}

export function pageTable({ servers, ratios, noisy, measured }: ReturnType<typeof summarisePages>): string {
  const heading = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'generator µs/request']
  const row = ([name, spreads]: [string, Record<string, ReturnType<typeof spreadOf>>], digits?: number) => [
    name,
    ...figures.map((figure) => (spreads[figure] ? shown(spreads[figure], digits ?? FIGURES[figure]) : '')),
  ]
  return [
    '\nPages and discovery files, 16 connections: median [min–max] of the rounds',
    table([heading, ...Object.entries(servers).map((entry) => row(entry))]),
    '',
    table([['ratio', ...heading.slice(1)], ...Object.entries(ratios).map((entry) => row(entry, 2))]),
    `  noisy measurements: ${noisy} of ${measured}`,
  ].join('\n')
}
