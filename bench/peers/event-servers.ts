import { join } from 'node:path'
import type { ProcessName, Stack } from '@family-inbox/local-stack/run-stack'
import { startWorker } from '../measure/worker.ts'
import type { Agency } from '../world/agencies.ts'
import type { Workspace } from '../world/workspace.ts'
import type { EventsFloorOptions } from './events-floor.ts'
import { processesNamed } from './peer.ts'

export type EventServer = {
  name: 'ours' | 'floor'
  origin: string
  host: string
  processes: Record<string, number>
  arrived: () => Promise<number>
}

const FLOOR_DATABASE = 'bench_events_floor'
const OURS: ProcessName[] = ['gateway', 'pipe', 'care-circle', 'nats-server', 'mongod']

/** Our gateway, and the floor on the same mongod and nats-server. */
export async function startEventServers(stack: Stack, workspace: Workspace, agencies: Agency[]) {
  const timeline = workspace.collection('careCircle', 'care_events')
  const options: EventsFloorOptions = {
    mongoUri: workspace.databases.careCircle,
    database: FLOOR_DATABASE,
    natsUrl: stack.natsUrl,
    serviceKey: stack.opsKey,
    agencies,
  }
  const file = join(import.meta.dirname, 'events-floor.ts')
  const { worker, hello } = await startWorker<never, never, { port: number }>(file, options)
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
    processes: { floor: worker.pid, ...processesNamed(stack, ['nats-server', 'mongod']) },
    arrived: () => timeline.db.client.db(FLOOR_DATABASE).collection('events').estimatedDocumentCount(),
  }
  return { ours, floor, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}
