import { readFileSync } from 'node:fs'

/** What a process holds in memory now, and the most that it ever held, in MiB: VmRSS and VmHWM of proc_pid_status(5). */
export function memoryOf(pid: number | undefined): { residentMb: number; peakMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    residentMb: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024,
    peakMb: Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024,
  }
}
