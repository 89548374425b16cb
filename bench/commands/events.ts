import { join } from 'node:path'
import type { ProcessName } from '@family-inbox/local-stack/run-stack'
import { startStack } from '@family-inbox/local-stack/stack'
import { type EventSample, type EventServer, startEventLoad } from '../load/measure-events.ts'
import { startWorker } from '../load/worker.ts'
import { shuffled } from '../measure/statistics.ts'
import type { Options } from '../options.ts'
import type { EventsFloorOptions } from '../peers/events-floor.ts'
import { processesNamed, processNamed } from '../peers/peer.ts'
import { eventTable, summariseEvents } from '../report/event-table.ts'
import { makeAgencies } from '../world/agencies.ts'
import { makeWorkspace } from '../world/workspace.ts'

const FLOOR_DATABASE = 'bench_events_floor'
const OURS: ProcessName[] = ['gateway', 'pipe', 'care-circle', 'nats-server', 'mongod']
const NO_LIMIT = { PIPE_EVENTS_PER_MINUTE: '1000000000', TOOL_CALLS_PER_MINUTE: '1000000' }
const AGENCIES = 4
const CONNECTIONS = 64
const WARM_UP_SECONDS = 3

/** Accepted events: ours and one Express process with the same writes, in turn. */
export async function benchEvents({ rounds, seconds, quietly, say }: Options) {
  await using stack = await startStack({ env: NO_LIMIT })
  await using workspace = await makeWorkspace(stack)
  const agencies = await makeAgencies(stack, workspace.family, AGENCIES)
  const timeline = workspace.collection('careCircle', 'care_events')
  const options: EventsFloorOptions = {
    mongoUri: workspace.databases.careCircle,
    database: FLOOR_DATABASE,
    natsUrl: stack.natsUrl,
    serviceKey: stack.opsKey,
    agencies,
  }
  const file = join(import.meta.dirname, '../peers/events-floor.ts')
  const { worker, hello } = await startWorker<never, never, { port: number }>(file, options)
  await using _worker = worker
  const ours: EventServer = {
    name: 'ours',
    origin: `http://127.0.0.1:${new URL(stack.apiUrl).port}`,
    host: new URL(stack.apiUrl).host,
    processes: processesNamed(stack, OURS),
    arrived: () => timeline.estimatedDocumentCount(),
  }
  const floor: EventServer = {
    name: 'floor',
    origin: `http://127.0.0.1:${hello.port}`,
    host: `127.0.0.1:${hello.port}`,
    processes: { floor: worker.pid, ...processNamed(stack, 'nats-server'), ...processNamed(stack, 'mongod') },
    arrived: () => timeline.db.client.db(FLOOR_DATABASE).collection('events').estimatedDocumentCount(),
  }
  await using load = await startEventLoad(agencies)
  const peers: { server: EventServer; forged: boolean }[] = [
    { server: ours, forged: false },
    { server: floor, forged: false },
    { server: ours, forged: true },
  ]
  for (const { server, forged } of peers)
    await load.measure(server, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS, forged })
  const samples: EventSample[] = []
  for (let round = 1; round <= rounds; round += 1) {
    say(`round ${round} of ${rounds}`)
    for (const { server, forged } of shuffled(peers)) {
      const measured = await quietly(() => load.measure(server, { connections: CONNECTIONS, seconds, forged }))
      samples.push({ round, forged, ...measured })
    }
  }
  const summary = summariseEvents(samples)
  say(eventTable(summary))
  return { summary, samples }
}
