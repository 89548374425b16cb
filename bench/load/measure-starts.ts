import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Noise } from '../measure/quiet.ts'
import type { StartFigures, StartLoad } from './start-load.ts'
import { startWorker } from './worker.ts'

const CONNECTIONS = 16

export type StartServer = Pick<StartLoad, 'origin' | 'host' | 'path' | 'from' | 'status'> & {
  name: 'ours' | 'bare' | 'refused'
  processes: Record<string, number>
}

export type StartSample = StartFigures &
  Noise & {
    server: StartServer['name']
    startsPerSecond: number
    /** Processor time per start, in the server and MongoDB. */
    cpuUsPerStart: number
    cpuUsByProcess: Record<string, number>
    round: number
    isNoisy: boolean
  }

export async function startStartLoad() {
  const { worker } = await startWorker<StartLoad, StartFigures, object>(join(import.meta.dirname, 'start-load.ts'), {})
  async function measure(server: StartServer, seconds: number): Promise<Omit<StartSample, 'round' | 'isNoisy'>> {
    const { name, processes, ...target } = server
    const readCpu = startCpuMeter(processes, worker.pid)
    const figures = await worker.ask({ ...target, connections: CONNECTIONS, seconds })
    const { byProcess, totalUs, foreignCpus, stolenCpus } = readCpu()
    equal(figures.errors, 0, `${name}: ${figures.firstError}`)
    const { starts } = figures
    return {
      ...figures,
      server: name,
      startsPerSecond: starts / figures.seconds,
      cpuUsPerStart: totalUs / starts,
      cpuUsByProcess: Object.fromEntries(Object.entries(byProcess).map(([process, us]) => [process, us / starts])),
      foreignCpus,
      stolenCpus,
    }
  }
  return { measure, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}
