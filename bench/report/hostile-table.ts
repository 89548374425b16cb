import type { FloodFigures } from '../load/flood.ts'
import { type Spread, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

export type HostileSample = {
  round: number
  attack: string
  alone: FloodFigures
  beside: FloodFigures
  /** Requests of the attacker per second. */
  attackPerSecond: number
}

export type HostileRow = Record<'alone' | 'beside' | 'lost' | 'p99Ms' | 'attackPerSecond', Spread> & { attack: string }

/** The part of a family's goodput that each attacker takes, compared with the measurement just before. */
export function summariseHostile(samples: readonly HostileSample[]): HostileRow[] {
  return [...Map.groupBy(samples, ({ attack }) => attack)].map(([attack, own]) => ({
    attack,
    alone: spreadOf(own.map(({ alone }) => goodput(alone))),
    beside: spreadOf(own.map(({ beside }) => goodput(beside))),
    lost: spreadOf(own.map(({ alone, beside }) => 100 * (1 - goodput(beside) / goodput(alone)))),
    p99Ms: spreadOf(own.map(({ beside }) => beside.p99Ms)),
    attackPerSecond: spreadOf(own.map(({ attackPerSecond }) => attackPerSecond)),
  }))
}

export function hostileTable(rows: readonly HostileRow[]): string {
  return [
    '\nlist_inbox_messages of a family next to one attacker: median [min–max] of the rounds',
    table([
      ['attacker', 'attacks/s', 'alone/s', 'beside it/s', 'lost %', 'p99 ms beside it'],
      ...rows.map(({ attack, attackPerSecond, alone, beside, lost, p99Ms }) => [
        attack,
        ...[attackPerSecond, alone, beside].map((spread) => shown(spread, 0)),
        shown(lost, 1),
        shown(p99Ms, 0),
      ]),
    ]),
    '  goal: one address or family costs the others less than 10%',
  ].join('\n')
}

function goodput({ good, seconds }: FloodFigures): number {
  return good / seconds
}
