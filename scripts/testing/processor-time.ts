import { existsSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/**
 * Processor seconds of this process and, on Linux, of all that it started and that have ended, and of theirs.
 * See proc_pid_stat(5).
 */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + endedChildren()
}

function endedChildren(): number {
  if (!existsSync('/proc/self/stat')) return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The name, in parentheses, may hold spaces.
  const [userTicks, systemTicks] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number)
  return ((userTicks ?? 0) + (systemTicks ?? 0)) / TICKS_PER_SECOND
}
