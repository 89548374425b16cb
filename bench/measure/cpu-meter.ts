import { machineCpu } from './machine.ts'
import { cpuMicroseconds } from './processes.ts'
import type { Noise } from './quiet.ts'

/** Where processor time went since the meter was started, in microseconds. */
export type CpuReading = Noise & {
  byProcess: Record<string, number>
  /** Of all the processes together. */
  totalUs: number
  /** Of the process that makes the load. */
  loadUs: number
}

/**
 * Starts to watch what some processes use, what the load's process uses, and what is left for others to have used.
 * @param processes process ids by name
 * @returns reads the meter
 */
export function startCpuMeter(processes: Record<string, number>, loadPid: number): () => CpuReading {
  const startedAt = performance.now()
  const read = () => ({
    machine: machineCpu(),
    load: cpuMicroseconds(loadPid),
    byProcess: Object.entries(processes).map(([name, pid]) => [name, cpuMicroseconds(pid)] as const),
  })
  const before = read()
  return () => {
    const after = read()
    const elapsedUs = (performance.now() - startedAt) * 1000
    const used = after.byProcess.map(([name, us], index) => [name, us - (before.byProcess[index]?.[1] ?? 0)] as const)
    const totalUs = used.reduce((sum, [, us]) => sum + us, 0)
    const loadUs = after.load - before.load
    const othersUs = after.machine.busyUs - before.machine.busyUs - totalUs - loadUs
    return {
      byProcess: Object.fromEntries(used),
      totalUs,
      loadUs,
      foreignCpus: Math.max(0, othersUs) / elapsedUs,
      stolenCpus: (after.machine.stolenUs - before.machine.stolenUs) / elapsedUs,
    }
  }
}
