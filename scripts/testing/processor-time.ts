import { existsSync, readFileSync } from 'node:fs'

const STAT = '/proc/self/stat'
const TICKS_PER_SECOND = 100

/** Processor seconds of this process and, on Linux, of all that it started and that have ended, and of theirs. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return Math.max((user + system) / 1e6, secondsWithChildren())
}

/** With those of the children that have ended; 0 where there is no proc_pid_stat(5). */
function secondsWithChildren(): number {
  if (!existsSync(STAT)) return 0
  const stat = readFileSync(STAT, 'utf8')
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}
