import { readFileSync } from 'node:fs'

/** Linux counts processor time in ticks of 10 ms (`getconf CLK_TCK` is 100 on every architecture Node.js runs on). */
const TICK_US = 10_000

/**
 * The processor time a process has used so far, all its threads together, in microseconds: utime and stime, the 14th and
 * 15th field of proc(5) "stat". The 2nd, a name, may hold spaces.
 */
export function cpuMicroseconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** What a process holds in memory, in megabytes: all of it, and with shared pages counted in shares. */
export type Memory = { rssMb: number; pssMb: number }

export function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1])
  return { rssMb: kilobytes('Rss') / 1024, pssMb: kilobytes('Pss') / 1024 }
}
