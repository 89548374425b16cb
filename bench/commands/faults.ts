import { equal } from 'node:assert/strict'
import type { ProcessName } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { createRandom } from '../../tests/_random.ts'
import { causeChaos, type PromiseResult } from '../../tests/cluster/_chaos.ts'
import { startClusterWorld } from '../../tests/cluster/_cluster-world.ts'
import { sendThroughFaults } from '../../tests/event-pipe/_faults.ts'
import { startPipeWorld } from '../../tests/event-pipe/_pipe.ts'
import { postSameEvent } from '../../tests/event-pipe/_same-event.ts'
import { killMigrations } from '../../tests/operations/_killed-migrations.ts'
import type { Options } from '../measure/options.ts'
import { table } from '../measure/table.ts'

const SENDS = 20_000
const SENDERS = 64
const VICTIMS: ProcessName[] = ['gateway', 'pipe', 'care-circle', 'nats-server', 'mongod']
const TOGETHER: ProcessName[][] = [
  ['gateway', 'pipe', 'mongod'],
  ['gateway', 'care-circle', 'nats-server'],
]
const PAUSE_MS = 10_000
const CALM_MS = 3000

const DAMAGES = 6
const LANES = 6
const READERS = 8
/** Faults continue until so many are checked for linearizability: half an hour on two cores. */
const OPERATIONS = 100_000
const MIGRATIONS = 20
const SAME_EVENTS = 200

type Row = PromiseResult & { faults: number; seconds?: number }

/** The tests of the same names in full: on one stack, then on a cluster. Prints what was promised and what was found. */
export async function benchFaults({ rounds, say }: Options) {
  const migrations = await whileMigrating()
  const single = await onOneStack(say)
  const cluster = await onACluster(rounds, say)
  const rows = [migrations, single.row, ...cluster.rows]
  say(`\nEvents on one stack were answered ${JSON.stringify(single.statuses)}`)
  say(table([HEAD, ...rows.map(cells)]))
  for (const detail of cluster.details) say(detail)
  const broken = rows.reduce((sum, { lost, doubled, wrong }) => sum + lost + doubled + wrong, 0)
  equal(broken, 0, 'a promise was broken')
  return { ...cluster, rows }
}

const HEAD = ['promise', 'trials', 'faults', 'lost', 'doubled', 'wrong', 'seconds to recover, at most']

function cells({ promise, trials, faults, lost, doubled, wrong, seconds }: Row): string[] {
  return [promise, ...[trials, faults, lost, doubled, wrong].map(String), seconds?.toFixed(1) ?? '']
}

async function whileMigrating(): Promise<Row> {
  await using stack = await startStack({ services: [] })
  const { trials, kills, wrong } = await killMigrations(stack.mongoUri, MIGRATIONS, createRandom())
  const counts = { trials, faults: kills, lost: 0, doubled: 0, wrong: wrong.length }
  return { promise: 'a killed data migration is finished by the next start', ...counts }
}

async function onOneStack(say: Options['say']) {
  await using world = await startPipeWorld({ processes: 'seven' })
  const plan = {
    sends: SENDS,
    senders: SENDERS,
    victims: VICTIMS,
    together: TOGETHER,
    damages: DAMAGES,
    pauseMs: PAUSE_MS,
    calmMs: CALM_MS,
  }
  const { accepted, lost, doubled, phantom, statuses } = await sendThroughFaults(world, { ...plan, say })
  const counts = { trials: accepted, lost: lost.length, doubled: doubled.length, wrong: phantom.length }
  const faults = 2 * VICTIMS.length + TOGETHER.length + DAMAGES
  const row: Row = { promise: 'an accepted event is on the timeline once, on one stack', faults, ...counts }
  return { row, statuses }
}

/** @param rounds how often each kind of fault happens, in random order */
async function onACluster(rounds: number, say: Options['say']) {
  const random = createRandom()
  say(`TEST_SEED=${random.seed}`)
  await using world = await startClusterWorld()
  const same = await postSameEvent(world.pipe, SAME_EVENTS)
  const { results, faults, recoverySeconds, details } = await causeChaos(world, {
    choose: (all) => Array.from({ length: rounds }, () => random.shuffled(all)).flat(),
    awayMs: PAUSE_MS,
    calmMs: CALM_MS,
    events: SENDS,
    lanes: LANES,
    readers: READERS,
    operations: OPERATIONS,
    random,
    say,
  })
  const seconds = Math.max(...recoverySeconds.map((recovery) => recovery.seconds))
  const { trials, lost, doubled } = same
  const counts = { trials, lost: lost.length, doubled: doubled.length, wrong: 0 }
  const posted: Row = { promise: 'an event posted 64 times at once is one event', faults: 0, ...counts }
  const rows = [posted, ...results.map((result): Row => ({ ...result, faults, seconds }))]
  return { rows, details, recoverySeconds, seed: random.seed }
}
