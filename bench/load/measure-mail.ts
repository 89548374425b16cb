import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCpuMeter } from '../measure/cpu-meter.ts'
import type { Noise } from '../measure/quiet.ts'
import { startWorker } from '../measure/worker.ts'
import type { MailFigures, MailLoad } from './mail-load.ts'

const CONNECTIONS = 8
const IDLE_WITHIN_MS = 15_000

export type MailServer = {
  name: 'ours' | 'bare'
  port: number
  processes: Record<string, number>
  stored: () => Promise<number>
  /** Whether the work after 250 is done. */
  isIdle: () => Promise<boolean>
}

export type MailMeasurement = MailFigures &
  Noise & {
    server: MailServer['name']
    mailsPerSecond: number
    /** Processor time per mail, with the work after 250 and MongoDB. */
    cpuUsPerMail: number
  }

export type MailSample = MailMeasurement & { round: number; isNoisy: boolean }

/** Starts the process that sends. Each measurement checks that every accepted mail is stored. */
export async function startMailLoad(recipient: string, mail: string) {
  const file = join(import.meta.dirname, 'mail-load.ts')
  const { worker } = await startWorker<MailLoad, MailFigures, object>(file, { recipient, mail })

  async function measure(server: MailServer, seconds: number): Promise<MailMeasurement> {
    const storedBefore = await server.stored()
    const readCpu = startCpuMeter(server.processes, worker.pid)
    const { name, port } = server
    const figures = await worker.ask({ host: '127.0.0.1', port, connections: CONNECTIONS, seconds })
    await untilIdle(server)
    const { totalUs, foreignCpus, stolenCpus } = readCpu()
    const { accepted, errors, firstError } = figures
    equal(errors, 0, `${name} refused a mail: ${firstError}`)
    equal((await server.stored()) - storedBefore, accepted, `${name} must keep each mail once`)
    return {
      ...figures,
      server: name,
      mailsPerSecond: accepted / figures.seconds,
      cpuUsPerMail: totalUs / accepted,
      foreignCpus,
      stolenCpus,
    }
  }

  return { measure, [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose]() }
}

async function untilIdle(server: MailServer): Promise<void> {
  const end = Date.now() + IDLE_WITHIN_MS
  while (!(await server.isIdle()) && Date.now() < end) await sleep(100)
}
