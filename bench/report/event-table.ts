import type { EventMeasurement, EventSample } from '../load/measure-events.ts'
import { type Spread, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

const FIGURES = { eventsPerSecond: 0, p50Ms: 1, p99Ms: 1, cpuUsPerEvent: 0, foreignCpus: 2 } as const
type Figure = keyof typeof FIGURES
const figures = Object.keys(FIGURES) as Figure[]

type Spreads = Record<Figure, Spread>

export function summariseEvents(samples: readonly EventSample[]) {
  const ours = samples.filter(({ server, forged }) => server === 'ours' && !forged)
  const floor = samples.filter(({ server }) => server === 'floor')
  const forged = samples.filter((sample) => sample.forged)
  return {
    ours: spreads(ours),
    floor: spreads(floor),
    forged: spreads(forged),
    ratio: ratios(ours, floor),
    forgedRatio: ratios(forged, ours),
  }
}

export function eventTable({ ours, floor, forged, ratio, forgedRatio }: ReturnType<typeof summariseEvents>): string {
  const row = (name: string, of: Spreads, digits = (figure: Figure): number => FIGURES[figure]) => [
    name,
    ...figures.map((figure) => shown(of[figure], digits(figure))),
  ]
  const two = () => 2
  return [
    '\nPosted events: median [min–max] of the rounds; ours includes the work until the event is on the timeline',
    table([
      ['', 'events/s', 'p50 ms', 'p99 ms', 'CPU µs/event', 'others’ CPUs'],
      row('ours', ours),
      row('one Express process', floor),
      row('ratio', ratio, two),
      row('ours, forged', forged),
      row('ratio to accepted', forgedRatio, two),
    ]),
  ].join('\n')
}

function spreads(samples: readonly EventMeasurement[]): Spreads {
  return Object.fromEntries(
    figures.map((figure) => [figure, spreadOf(samples.map((sample) => sample[figure]))]),
  ) as Spreads
}

function ratios(some: readonly EventSample[], others: readonly EventSample[]): Spreads {
  const otherOf = (round: number) => others.find((sample) => sample.round === round)
  return Object.fromEntries(
    figures.map((figure) => [
      figure,
      spreadOf(some.map((sample) => sample[figure] / (otherOf(sample.round)?.[figure] ?? Number.NaN))),
    ]),
  ) as Spreads
}
