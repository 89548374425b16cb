import { startStack } from '@family-inbox/local-stack/stack'
import { startEventLoad } from '../load/measure-events.ts'
import { measureReadable, type Readable } from '../load/measure-readable.ts'
import type { Options } from '../measure/options.ts'
import { type Spread, spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'
import type { EventServer } from '../peers/event-servers.ts'
import { ourPeer } from '../peers/peer.ts'
import { makeAgencies } from '../world/agencies.ts'
import { makeWorkspace } from '../world/workspace.ts'

const NO_LIMIT = { PIPE_EVENTS_PER_MINUTE: '1000000000', TOOL_CALLS_PER_MINUTE: '1000000' }
const AGENCIES = 4
const CONNECTIONS = 64
const WARM_UP_SECONDS = 3

/** Time from a 202 until list_care_events returns the event, at half of the maximum load. */
export async function benchReadable({ rounds, seconds, say }: Options) {
  await using stack = await startStack({ env: NO_LIMIT })
  await using workspace = await makeWorkspace(stack)
  const agencies = await makeAgencies(stack, workspace.family, AGENCIES + 1)
  const probe = agencies.pop() ?? agencies[0]
  if (probe === undefined) throw new Error('no agency')
  const timeline = workspace.collection('careCircle', 'care_events')
  const { origin, host, processes } = ourPeer(stack)
  const ours: EventServer = { name: 'ours', origin, host, processes, arrived: () => timeline.estimatedDocumentCount() }
  await using load = await startEventLoad(agencies)
  await load.measure(ours, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS })
  const { eventsPerSecond } = await load.measure(ours, { connections: CONNECTIONS, seconds })
  const rate = eventsPerSecond / 2
  say(`${eventsPerSecond.toFixed(0)} accepted events a second; measured at ${rate.toFixed(0)}`)
  const idle = await measureReadable({ origin, host }, probe, workspace.family.keys.owner, seconds)
  const loaded: Readable[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const [readable] = await Promise.all([
      measureReadable({ origin, host }, probe, workspace.family.keys.owner, seconds),
      load.post(ours, { connections: CONNECTIONS, seconds, rate }),
    ])
    loaded.push(readable)
    say(`round ${round} of ${rounds}: ${JSON.stringify(readable)}`)
  }
  const summary = { eventsPerSecond, idle: summarise([idle]), loaded: summarise(loaded) }
  say(readableTable(summary))
  return { summary, idle, loaded }
}

type Summary = { p50Ms: Spread; p99Ms: Spread }

function summarise(measured: Readable[]): Summary {
  return {
    p50Ms: spreadOf(measured.map(({ p50Ms }) => p50Ms)),
    p99Ms: spreadOf(measured.map(({ p99Ms }) => p99Ms)),
  }
}

function readableTable({ idle, loaded }: { idle: Summary; loaded: Summary }): string {
  const row = (name: string, { p50Ms, p99Ms }: Summary) => [name, shown(p50Ms, 0), shown(p99Ms, 0)]
  const rows = [['', 'p50 ms', 'p99 ms'], row('idle', idle), row('half the load', loaded)]
  return `\nAccepted to readable through list_care_events: median [min–max] of the rounds\n${table(rows)}`
}
