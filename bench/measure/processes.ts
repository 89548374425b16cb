import { readFileSync } from 'node:fs'

/** Linux counts processor time in ticks of 10 ms (`getconf CLK_TCK` is 100 on every architecture Node.js runs on). */
const TICK_US = 10_000

/**
 * Processor time of a process with all its threads, in microseconds: utime and stime, fields 14 and 15 of proc(5) "stat". Field 2,
 * a name, may contain spaces.
 */
export function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** Memory of a process in megabytes: resident, proportional (shared pages divided), and its own (no shared pages). */
export type Memory = { rssMb: number; pssMb: number; ownMb: number }

export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1])
  const ownMb = (kilobytes('Private_Clean') + kilobytes('Private_Dirty')) / 1024
  return { rssMb: kilobytes('Rss') / 1024, pssMb: kilobytes('Pss') / 1024, ownMb }
}

/** The memory of several processes, with what they share once. Unlike PSS, it does not depend on other programs that run Node.js. */
export function memoryTogetherMb(processes: readonly Memory[]): number {
  const own = processes.reduce((sum, { ownMb }) => sum + ownMb, 0)
  return own + Math.max(0, ...processes.map(({ rssMb, ownMb }) => rssMb - ownMb))
}
