import { machineCpu } from './machine.ts'
import { cpuMicroseconds } from './processes.ts'
import type { Noise } from './quiet.ts'

/** Processor time since the start of the meter, in microseconds. */
export type CpuReading = Noise & {
  byProcess: Record<string, number>
  totalUs: number
  loadUs: number
}

/**
 * Watches the processes under test and the load process; the rest of the machine is noise.
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
