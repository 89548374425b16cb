import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Noise } from '../measure/quiet.ts'
import { startWorker } from '../measure/worker.ts'
import type { EventServer } from '../peers/event-servers.ts'
import type { Agency } from '../world/agencies.ts'
import type { EventFigures, EventLoad } from './event-load.ts'

const CAUGHT_UP_WITHIN_MS = 60_000

export type EventMeasurement = EventFigures &
  Noise & {
    server: EventServer['name']
    eventsPerSecond: number
    /** Processor time per event until it has arrived, MongoDB and NATS included. */
    cpuUsPerEvent: number
    cpuUsPerEventByProcess: Record<string, number>
  }

export type EventSample = EventMeasurement & { round: number; isNoisy: boolean; forged: boolean }

export type SampleEventOptions = Pick<EventLoad, 'connections' | 'seconds' | 'rate' | 'forged'>

/** Starts the process that posts. Each measurement checks that every accepted event has arrived. */
export async function startEventLoad(agencies: Agency[]) {
  const file = join(import.meta.dirname, 'event-load.ts')
  const { worker } = await startWorker<EventLoad, EventFigures, object>(file, { agencies })

  async function measure(server: EventServer, startRequest: SampleEventOptions): Promise<EventMeasurement> {
    const { name, origin, host, processes } = server
    const before = await server.arrived()
    const readCpu = startCpuMeter(processes, worker.pid)
    const figures = await worker.ask({ origin, host, ...startRequest })
    const { answered, errors, firstError } = figures
    equal(errors, 0, `${name} gave a wrong answer: ${firstError}`)
    const expected = startRequest.forged ? before : before + answered
    const arrived = await untilArrived(server, expected)
    const { totalUs, byProcess, foreignCpus, stolenCpus } = readCpu()
    equal(arrived, expected, `${name} must keep each accepted event once, and no other`)
    return {
      ...figures,
      server: name,
      eventsPerSecond: answered / figures.seconds,
      cpuUsPerEvent: totalUs / answered,
      cpuUsPerEventByProcess: Object.fromEntries(
        Object.entries(byProcess).map(([process, us]) => [process, us / answered]),
      ),
      foreignCpus,
      stolenCpus,
    }
  }

  const post = ({ origin, host }: EventServer, startRequest: SampleEventOptions) =>
    worker.ask({ origin, host, ...startRequest })

  return { measure, post, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}

async function untilArrived(server: EventServer, count: number): Promise<number> {
  const end = Date.now() + CAUGHT_UP_WITHIN_MS
  let arrived = await server.arrived()
  for (; arrived < count && Date.now() < end; arrived = await server.arrived()) await sleep(50)
  return arrived
}
