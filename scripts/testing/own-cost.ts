import { subscribe } from 'node:diagnostics_channel'
import { existsSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
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

/** With those of its own children that have ended. See proc_pid_stat(5). */
function secondsOf(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  try {
    const stat = readFileSync(file, 'utf8')
    // The name, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
