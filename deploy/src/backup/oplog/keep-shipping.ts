import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeStatus } from '../status.ts'
import { type Shipping, SLICES, shipSlice } from './ship.ts'
import type { SliceStore } from './slice-store.ts'

/** One slice after another until there is nothing more. What fails is in their `status.json`. @returns their names @throws what failed */
export async function shipWhatIsThere(shipping: Shipping, store: SliceStore): Promise<string[]> {
  // Apart from that of the backups, which another process writes.
  const slices = join(shipping.folder, SLICES)
  try {
    const names: string[] = []
    for (;;) {
      const slice = await shipSlice(shipping)
      if (slice !== undefined) names.push(slice.name)
      // A short one was the last.
      if (slice === undefined || !slice.isFull) break
    }
    await store.update()
    await changeStatus(slices, { oplogFailure: undefined })
    return names
  } catch (error) {
    await changeStatus(slices, { oplogFailure: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

/** Does so again and again. What fails is said once, and tried again each time: after a gap, a new backup mends it. */
export async function keepShipping(
  shipping: Shipping,
  store: SliceStore,
  everyMs: number,
  say: (line: string) => void,
): Promise<void> {
  const stop = stopSignal()
  for (let said = ''; !stop.aborted; await sleep(everyMs, undefined, { signal: stop }).catch(() => {})) {
    const problem = await shipWhatIsThere(shipping, store).then(
      () => '',
      (error) => (error instanceof Error ? error.message : String(error)),
    )
    if (problem !== said) say(problem === '' ? 'Slices of the oplog are written again.' : problem)
    said = problem
  }
}

function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}
