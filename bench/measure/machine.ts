import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'

const TICK_US = 10_000
/** Above this load the machine was not idle, and the figures are noisy. */
const QUIET_LOAD = 0.3

export function describeMachine() {
  return {
    at: new Date().toISOString(),
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    loadBefore: loadavg()[0] ?? 0,
  }
}

export function machineLine({ cores, processor, node, loadBefore }: ReturnType<typeof describeMachine>): string {
  const noisy = loadBefore > QUIET_LOAD ? ' (not idle: expect noise)' : ''
  return `${cores} cores ${processor}, Node.js ${node}, load before ${loadBefore.toFixed(2)}${noisy}`
}

/** Processor time of the whole machine, and the share its host took, in microseconds (proc(5) "stat"). */
export function machineCpu(): { busyUs: number; stolenUs: number } {
  const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = total.split(/ +/).slice(1).map(Number)
  return { busyUs: (user + nice + system + irq + softirq) * TICK_US, stolenUs: steal * TICK_US }
}
