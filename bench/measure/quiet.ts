import { setTimeout as sleep } from 'node:timers/promises'
import { machineCpu } from './machine.ts'

/** Processors others may use, and the host may take away, before a measurement is worth little. */
export const MOST_FOREIGN_CPUS = 0.25
const LOOK_MS = 1000

/** How much of the machine others used during a measurement, in processors. */
export type Noise = { foreignCpus: number; stolenCpus: number }

export type Quietly = <T extends Noise>(measure: () => Promise<T>) => Promise<T & { isNoisy: boolean }>

/**
 * Makes what measures while nobody else works: it waits for that, and measures again when somebody came in between, until
 * its patience is spent over all measurements; from then on the figures are taken as they come, and say that they are noisy.
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
    /** Resolves when nobody used the machine for a second; what the idle stack itself needs is far less than allowed. */
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
