import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Processes } from '@family-inbox/local-stack/services'
import { COLLECT_AFTER_MS } from '@family-inbox/service-kit/start/run'
import { npmStart } from './npm-start.ts'
import { type Memory, memoryOf } from './processes.ts'

/** When the garbage of the start is gone. */
const IDLE_MS = COLLECT_AFTER_MS + 3000

type StartOptions = { processes?: Processes; seesMemory?: boolean }

/** Seconds from `npm start` to `ready`, and the memory of each process some seconds later. */
export async function startAndStop(
  dataDir: string,
  { processes, seesMemory = false }: StartOptions = {},
): Promise<{ seconds: number; memory: Record<string, Memory> }> {
  await using started = await npmStart(dataDir, processes)
  if (!seesMemory) return { seconds: started.seconds, memory: {} }
  await sleep(IDLE_MS)
  return { seconds: started.seconds, memory: memoryOfStack(dataDir) }
}

function memoryOfStack(dataDir: string): Record<string, Memory> {
  const { processes } = JSON.parse(readFileSync(join(dataDir, 'stack.json'), 'utf8'))
  const entries = Object.entries(processes as Record<string, { pid: number }>)
  return Object.fromEntries(entries.map(([name, { pid }]) => [name, memoryOf(pid)]))
}
