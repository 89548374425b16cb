import { type Processes, services } from '@family-inbox/local-stack/services'
import { ALL_SERVICES } from '@family-inbox/local-stack/stack-file'
import type { CallSample } from '../load/measure-calls.ts'
import type { EventSample } from '../load/measure-events.ts'
import { type Memory, memoryTogetherMb } from '../measure/processes.ts'
import { type Spread, spreadOf } from '../measure/statistics.ts'
import { listed, shown, table } from '../measure/table.ts'

export type ModeSamples = {
  processes: Processes
  calls: CallSample[]
  events: EventSample[]
  startSeconds: number[]
  recoverySeconds: number[]
  memory: Record<string, Memory>
}

export const MODES: readonly Processes[] = ['single', 'seven']

type Row = {
  work: string
  digits: number
  goals: { [P in Processes]: { atLeast: number } | { atMost: number } }
  measured: (samples: ModeSamples) => Spread
}

const ROWS: readonly Row[] = [
  {
    work: 'list_inbox_messages, calls/s against S',
    digits: 2,
    goals: { single: { atLeast: 1.25 }, seven: { atLeast: 1 } },
    measured: ({ calls }) => callRatio(calls, 'list_inbox_messages', 'callsPerSecond'),
  },
  {
    work: 'ping, calls/s against S',
    digits: 2,
    goals: { single: { atLeast: 1.5 }, seven: { atLeast: 1.1 } },
    measured: ({ calls }) => callRatio(calls, 'ping', 'callsPerSecond'),
  },
  {
    work: 'get_inbox_message (8 KB), calls/s against S',
    digits: 2,
    goals: { single: { atLeast: 1.25 }, seven: { atLeast: 1 } },
    measured: ({ calls }) => callRatio(calls, 'get_inbox_message', 'callsPerSecond'),
  },
  {
    work: 'CPU of a list call, all processes, against S',
    digits: 2,
    goals: { single: { atMost: 0.9 }, seven: { atMost: 1.3 } },
    measured: ({ calls }) => callRatio(calls, 'list_inbox_messages', 'cpuUsPerCall'),
  },
  {
    work: 'accepted events/s against the floor',
    digits: 2,
    goals: { single: { atLeast: 1.5 }, seven: { atLeast: 1.3 } },
    measured: ({ events }) =>
      ratioByRound(
        events.filter(({ server }) => server === 'ours'),
        events.filter(({ server }) => server === 'floor'),
        ({ eventsPerSecond }) => eventsPerSecond,
      ),
  },
  {
    work: 'idle memory of the services, MB',
    digits: 0,
    goals: { single: { atMost: 260 }, seven: { atMost: 560 } },
    measured: ({ memory }) => spreadOf([memoryTogetherMb(servicesOf(memory))]),
  },
  {
    work: 'npm start to ready, seconds',
    digits: 1,
    goals: { single: { atMost: 3 }, seven: { atMost: 4.5 } },
    measured: ({ startSeconds }) => spreadOf(startSeconds),
  },
  {
    work: 'SIGKILL to the first good call, seconds',
    digits: 1,
    goals: { single: { atMost: 2 }, seven: { atMost: 2 } },
    measured: ({ recoverySeconds }) => spreadOf(recoverySeconds),
  },
]

export function summariseMode(samples: ModeSamples) {
  const { calls, events, processes, memory } = samples
  return {
    rows: ROWS.map(({ work, digits, goals, measured }) => {
      const spread = measured(samples)
      return { work, digits, goal: goals[processes], spread, isReached: isReached(goals[processes], spread.median) }
    }),
    cpuUs: [...new Set(calls.map(({ tool }) => tool))].map((tool) => ({
      tool,
      ours: cpuOf(calls.filter((sample) => sample.tool === tool && sample.peer === 'ours')),
      s: cpuOf(calls.filter((sample) => sample.tool === tool && sample.peer === 'S')),
    })),
    memory,
    rssMb: servicesOf(memory).reduce((sum, { rssMb }) => sum + rssMb, 0),
    pssMb: servicesOf(memory).reduce((sum, { pssMb }) => sum + pssMb, 0),
    noisy: [...calls, ...events].filter(({ isNoisy }) => isNoisy).length,
    measured: calls.length + events.length,
  }
}

export type ModeSummary = ReturnType<typeof summariseMode>

export function modesTable(modes: Record<string, ModeSummary>): string {
  const rows = ROWS.map(({ work }, index) => [
    work,
    ...MODES.flatMap((mode) => {
      const { spread, goal, digits, isReached } = (modes[mode] as ModeSummary).rows[
        index
      ] as ModeSummary['rows'][number]
      return [
        shown(spread, digits),
        `${'atLeast' in goal ? '≥' : '≤'} ${bound(goal)}`,
        isReached ? 'reached' : 'not reached',
      ]
    }),
  ])
  const heading = ['', ...MODES.flatMap((mode) => [mode === 'single' ? 'one process' : 'seven', 'goal', ''])]
  return [
    '\nOne process and seven: median [min–max] of the rounds',
    table([heading, ...rows]),
    ...MODES.flatMap((mode) => details(mode, modes[mode] as ModeSummary)),
  ].join('\n')
}

function details(mode: Processes, { cpuUs, memory, rssMb, pssMb, noisy, measured }: ModeSummary): string[] {
  return [
    `\n${mode}: noisy measurements ${noisy} of ${measured}; memory of the services: RSS ${rssMb.toFixed(0)} MB, PSS ${pssMb.toFixed(0)} MB`,
    ...cpuUs.flatMap(({ tool, ours, s }) => [`  CPU µs of ${tool}: ${listed(ours)}`, `    of S: ${listed(s)}`]),
    `  own MB: ${listed(Object.fromEntries(Object.entries(memory).map(([name, { ownMb }]) => [name, ownMb])))}`,
  ]
}

type Calls = ModeSamples['calls']

function callRatio(calls: Calls, tool: string, figure: 'callsPerSecond' | 'cpuUsPerCall'): Spread {
  const of = (peer: string) => calls.filter((sample) => sample.tool === tool && sample.peer === peer)
  return ratioByRound(of('ours'), of('S'), (sample) => sample[figure])
}

function ratioByRound<S extends { round: number }>(above: S[], below: S[], figure: (sample: S) => number): Spread {
  return spreadOf(
    above.map((sample) => {
      const other = below.find(({ round }) => round === sample.round)
      return figure(sample) / (other === undefined ? Number.NaN : figure(other))
    }),
  )
}

/** Without the starter, mongod and nats-server. */
function servicesOf(memory: ModeSamples['memory']): Memory[] {
  const names = new Set<string>([ALL_SERVICES, ...services.map(({ name }) => name)])
  return Object.entries(memory).flatMap(([name, used]) => (names.has(name) ? used : []))
}

function cpuOf(samples: Calls): Record<string, number> {
  const names = Object.keys(samples[0]?.cpuUsPerCallByProcess ?? {})
  return Object.fromEntries(
    names.map((name) => [name, spreadOf(samples.map((sample) => sample.cpuUsPerCallByProcess[name] ?? 0)).median]),
  )
}

function isReached(goal: Row['goals'][Processes], figure: number): boolean {
  return 'atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost
}

function bound(goal: Row['goals'][Processes]): number {
  return 'atLeast' in goal ? goal.atLeast : goal.atMost
}
