import { subscribe } from 'node:diagnostics_channel'
import { secondsOf } from './processor-time.ts'

const LOOK_EVERY_MS = 500

/** The last known processor seconds of each process that this thread started. */
const started = new Map<number, number>()

/** Begins to watch what this thread starts. AVA runs each file in a thread, and the system counts only whole processes. */
export function watchOwnCost(): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: { pid?: number; once(event: 'spawn', then: () => void): void } }
    child.once('spawn', () => child.pid !== undefined && started.set(child.pid, 0))
  })
  setInterval(look, LOOK_EVERY_MS).unref()
}

/** Processor seconds of this thread and, on Linux, of what it started: up to half a second before each of them ended. */
export function ownCost(): number {
  look()
  const { user, system } = process.threadCpuUsage()
  return [...started.values()].reduce((sum, seconds) => sum + seconds, (user + system) / 1e6)
}

function look(): void {
  for (const [pid, seconds] of started) started.set(pid, Math.max(seconds, secondsOf(pid)))
}
