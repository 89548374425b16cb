import { ENDS, TOOLS, type WriteKind, type WriteSample } from '../load/measure-writes.ts'
import { spreadOf } from '../measure/statistics.ts'
import { listed, shown, table } from './table.ts'

/** What approval may add to a write: processor time and p50, against the write that sends at once. */
const MOST = 1.1

const FIGURES = ['cpuUs', 'p50Ms'] as const
type Figure = (typeof FIGURES)[number]
const HEADINGS: Record<Figure, string> = { cpuUs: 'CPU µs', p50Ms: 'p50 ms' }
const DIGITS: Record<Figure, number> = { cpuUs: 0, p50Ms: 2 }

type ApprovalSummary = ReturnType<typeof summariseApproval>

/** Ratios are within a round. */
export function summariseApproval(samples: readonly WriteSample[]) {
  const of = (tool: WriteKind['tool'], end: WriteKind['end']) =>
    samples.filter((sample) => sample.tool === tool && sample.end === end)
  const tools = TOOLS.map((tool) => {
    const [sent, waits] = ENDS.map((end) => of(tool, end)) as [WriteSample[], WriteSample[]]
    const figures = FIGURES.map((figure) => {
      const ratio = spreadOf(
        waits.map((one) => one[figure] / (sent.find(({ round }) => round === one.round)?.[figure] ?? Number.NaN)),
      )
      const ends = [sent, waits].map((taken) => spreadOf(taken.map((one) => one[figure])))
      return { figure, ends, ratio, isReached: ratio.median <= MOST }
    })
    return { tool, figures, cpuUsByProcess: { sent: byProcess(sent), waits: byProcess(waits) } }
  })
  return { tools, noisy: samples.filter(({ isNoisy }) => isNoisy).length, measured: samples.length }
}

export function approvalTable({ tools, noisy, measured }: ApprovalSummary): string {
  const rows = tools.flatMap(({ tool, figures }) =>
    figures.map(({ figure, ends, ratio, isReached }) => [
      `${tool}, ${HEADINGS[figure]}`,
      ...ends.map((spread) => shown(spread, DIGITS[figure])),
      shown(ratio, 2),
      isReached ? 'reached' : 'not reached',
    ]),
  )
  return [
    '\nA write that waits for approval, and the same write that is sent at once: median [min–max] of the rounds',
    table([['', 'sent at once', 'waits', 'ratio', `≤ ${MOST}`], ...rows]),
    ...tools.flatMap(({ tool, cpuUsByProcess }) =>
      ENDS.map((end) => `  CPU µs of ${tool}, ${end}: ${listed(cpuUsByProcess[end])}`),
    ),
    `  noisy measurements: ${noisy} of ${measured}`,
  ].join('\n')
}

function byProcess(samples: WriteSample[]): Record<string, number> {
  const names = Object.keys(samples[0]?.cpuUsByProcess ?? {})
  return Object.fromEntries(
    names.map((name) => [name, spreadOf(samples.map(({ cpuUsByProcess }) => cpuUsByProcess[name] ?? 0)).median]),
  )
}
