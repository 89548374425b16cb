import { existsSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Processor seconds of this process and, on Linux, of all that it started and that have ended, and of theirs. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return Math.max((user + system) / 1e6, secondsOf(process.pid))
}

/** Processor seconds of a process, with those of its children that have ended; 0 if it is gone. See proc_pid_stat(5). */
export function secondsOf(pid: number): number {
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
