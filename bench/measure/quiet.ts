import { setTimeout as sleep } from 'node:timers/promises'
import { machineCpu } from './machine.ts'

/** Processors in use by others, or taken by the host, above which a measurement is noisy. */
export const MOST_FOREIGN_CPUS = 0.25
const LOOK_MS = 1000

/** Processors in use by others during a measurement. */
export type Noise = { foreignCpus: number; stolenCpus: number }

export type Quietly = <T extends Noise>(measure: () => Promise<T>) => Promise<T & { isNoisy: boolean }>

/**
 * Measures while the machine is otherwise idle: waits for that, and repeats a disturbed measurement until the patience of the
 * whole run is spent. After that, results are marked as noisy.
 */
export function createQuietly(patienceSeconds: number): Quietly {
  const quietly = createWaiting(patienceSeconds)
  return async (measure) => {
    for (;;) {
      await quietly.wait()
      const taken = performance.now()
      const measured = await measure()
      const isNoisy = !isQuiet(measured)
      if (!isNoisy || quietly.isOver()) return { ...measured, isNoisy }
      quietly.spend(performance.now() - taken)
    }
  }
}

function createWaiting(patienceSeconds: number) {
  let leftMs = patienceSeconds * 1000
  return {
    isOver: () => leftMs <= 0,
    spend(ms: number) {
      leftMs -= ms
    },
    /** Resolves after a second without other work. An idle stack uses far less than allowed. */
    async wait() {
      for (; leftMs > 0; leftMs -= LOOK_MS) {
        const before = machineCpu()
        await sleep(LOOK_MS)
        const { busyUs, stolenUs } = machineCpu()
        const seconds = LOOK_MS * 1000
        const noise = {
          foreignCpus: (busyUs - before.busyUs) / seconds,
          stolenCpus: (stolenUs - before.stolenUs) / seconds,
        }
        if (isQuiet(noise)) return
      }
    },
  }
}

function isQuiet({ foreignCpus, stolenCpus }: Noise): boolean {
  return foreignCpus + stolenCpus <= MOST_FOREIGN_CPUS
}
