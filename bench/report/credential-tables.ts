import type { CallSample } from '../load/measure-calls.ts'
import { quantile, type Spread, spreadOf } from '../measure/statistics.ts'
import { STEPS, type Step } from '../world/connect-application.ts'
import { shown, table } from './table.ts'

export const KINDS = ['key', 'token', 'session'] as const

export type Kind = (typeof KINDS)[number]

type Sample = CallSample & { kind: Kind }

const FIGURES = { callsPerSecond: 0, p50Ms: 2, p99Ms: 2, cpuUsPerCall: 0 } as const
type Figure = keyof typeof FIGURES
const figures = Object.keys(FIGURES) as Figure[]

export type CredentialSummary = ReturnType<typeof summariseCredentials>

export function summariseCredentials(samples: readonly Sample[], flows: readonly Record<Step, number>[]) {
  const of = (which: Partial<Sample>) => (round: number, figure: Figure) =>
    samples.find((sample) => sample.round === round && matches(sample, which))?.[figure] ?? Number.NaN
  const rounds = [...new Set(samples.map(({ round }) => round))]
  const ratio = (above: Partial<Sample>, below: Partial<Sample>, figure: Figure): Spread =>
    spreadOf(rounds.map((round) => of(above)(round, figure) / of(below)(round, figure)))
  const tools = [...new Set(samples.map(({ tool }) => tool))]
  return {
    measured: tools.flatMap((tool) =>
      KINDS.map((kind) => {
        const taken = samples.filter((sample) => matches(sample, { tool, kind }))
        const spreads = figures.map((figure) => [figure, spreadOf(taken.map((sample) => sample[figure]))])
        return { name: `${tool}, ${kind}`, figures: Object.fromEntries(spreads) as Record<Figure, Spread> }
      }),
    ),
    cost: tools.flatMap((tool) =>
      (['token', 'session'] as const).map((kind) => ({
        name: `${tool}, ${kind}/key`,
        ratio: ratio({ tool, kind: 'key' }, { tool, kind }, 'callsPerSecond'),
        cpu: ratio({ tool, kind }, { tool, kind: 'key' }, 'cpuUsPerCall'),
      })),
    ),
    flow: STEPS.map((step) => {
      const sorted = flows.map((flow) => flow[step]).toSorted((a, b) => a - b)
      return { step, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
    }),
    noisy: samples.filter(({ isNoisy }) => isNoisy).length,
    samples: samples.length,
  }
}

export function credentialTables({ measured, cost, flow, noisy, samples }: CredentialSummary): string {
  const total = (figure: 'p50Ms' | 'p99Ms') => flow.reduce((sum, step) => sum + step[figure], 0).toFixed(1)
  return [
    '\nCalls, 16 connections: median [min–max] of the rounds',
    table([
      ['', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call'],
      ...measured.map(({ name, figures: of }) => [
        name,
        ...figures.map((figure) => shown(of[figure], FIGURES[figure])),
      ]),
    ]),
    '',
    table([
      ['cost', 'by calls/s', 'by CPU'],
      ...cost.map(({ name, ratio, cpu }) => [name, shown(ratio, 2), shown(cpu, 2)]),
    ]),
    '\nConnecting apps, one after another',
    table([
      ['', 'p50 ms', 'p99 ms'],
      ...flow.map(({ step, p50Ms, p99Ms }) => [step, p50Ms.toFixed(1), p99Ms.toFixed(1)]),
      ['sum', total('p50Ms'), total('p99Ms')],
    ]),
    `  noisy measurements: ${noisy} of ${samples}`,
  ].join('\n')
}

function matches(sample: Sample, which: Partial<Sample>): boolean {
  return (['tool', 'kind'] as const).every((name) => which[name] === undefined || sample[name] === which[name])
}
