import type { CallSample } from '../load/measure-calls.ts'
import { type Spread, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'
import type { Peer } from '../peers/peer.ts'

const FIGURES = { callsPerSecond: 0, p50Ms: 2, p99Ms: 2, cpuUsPerCall: 0, loadCpuUsPerCall: 0, foreignCpus: 2 } as const
type Figure = keyof typeof FIGURES

const HEADINGS: Record<Figure, string> = {
  callsPerSecond: 'calls/s',
  p50Ms: 'p50 ms',
  p99Ms: 'p99 ms',
  cpuUsPerCall: 'CPU µs/call',
  loadCpuUsPerCall: 'generator µs/call',
  foreignCpus: 'others’ CPUs',
}

const PAIRS: [Peer['name'], Peer['name']][] = [
  ['ours', 'S'],
  ['ours', 'F'],
  ['S', 'F'],
]
const COMPARED: Figure[] = ['callsPerSecond', 'p50Ms', 'p99Ms', 'cpuUsPerCall']

export type CallSummary = ReturnType<typeof summarise>

/** For each tool, every figure of every peer, and ratios within a round. */
export function summarise(samples: readonly CallSample[]) {
  return [...new Set(samples.map(({ tool }) => tool))].map((tool) => {
    const ofTool = samples.filter((sample) => sample.tool === tool)
    const peers = (['ours', 'S', 'F'] as const).map((name) => {
      const ofPeer = ofTool.filter(({ peer }) => peer === name)
      const figures = mapFigures((figure) => spreadOf(ofPeer.map((sample) => sample[figure])))
      return { name, figures, cpuUsPerCallByProcess: cpuByProcess(ofPeer) }
    })
    const ratios = PAIRS.map(([above, below]) => ({
      name: `${above}/${below}`,
      figures: mapFigures((figure) => ratioByRound(ofTool, above, below, figure)),
    }))
    return { tool, noisy: ofTool.filter(({ isNoisy }) => isNoisy).length, measured: ofTool.length, peers, ratios }
  })
}

export function callTables(summary: CallSummary): string {
  return summary.map(tablesOfTool).join('\n')
}

function tablesOfTool({ tool, noisy, measured, peers, ratios }: CallSummary[number]): string {
  const figures = Object.keys(FIGURES) as Figure[]
  const rows = peers.map(({ name, figures: of }) => [
    name,
    ...figures.map((figure) => shown(of[figure], FIGURES[figure])),
  ])
  const compared = ratios.map(({ name, figures: of }) => [name, ...COMPARED.map((figure) => shown(of[figure], 2))])
  return [
    `\n${tool}, 16 connections: median [min–max] of the rounds`,
    table([['', ...figures.map((figure) => HEADINGS[figure])], ...rows]),
    '',
    table([['ratio', ...COMPARED.map((figure) => HEADINGS[figure])], ...compared]),
    '',
    ...peers.map(({ name, cpuUsPerCallByProcess: used }) => `  CPU µs/call of ${name}: ${listed(used)}`),
    `  noisy measurements: ${noisy} of ${measured}`,
  ].join('\n')
}

function cpuByProcess(samples: readonly CallSample[]): Record<string, Spread> {
  const names = Object.keys(samples[0]?.cpuUsPerCallByProcess ?? {})
  const used = (name: string) => samples.map((sample) => sample.cpuUsPerCallByProcess[name] ?? 0)
  return Object.fromEntries(names.map((name) => [name, spreadOf(used(name))]))
}

function listed(used: Record<string, Spread>): string {
  return Object.entries(used)
    .map(([name, { median }]) => `${name} ${median.toFixed(0)}`)
    .join(', ')
}

function mapFigures(spread: (figure: Figure) => Spread): Record<Figure, Spread> {
  const figures = Object.keys(FIGURES) as Figure[]
  return Object.fromEntries(figures.map((figure) => [figure, spread(figure)])) as Record<Figure, Spread>
}

function ratioByRound(samples: readonly CallSample[], above: string, below: string, figure: Figure): Spread {
  const value = (round: number, name: string) =>
    samples.find((sample) => sample.round === round && sample.peer === name)?.[figure] ?? Number.NaN
  const rounds = [...new Set(samples.map(({ round }) => round))]
  return spreadOf(rounds.map((round) => value(round, above) / value(round, below)))
}
