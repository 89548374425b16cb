import { createWorkerPool, type Lane, type WorkerPool } from './worker-pool.ts'

type Tasks = typeof import('./reader-thread.ts')

/** The threads in which everything is read that strangers wrote. */
export type ReaderPool = WorkerPool<Tasks>

type Lanes = Readonly<Record<keyof Tasks, Lane>>

/** Times include the start of a thread on a busy machine. */
const LANES: Lanes = {
  parse: { slots: 3, slotsPerOwner: 2, timeoutMs: 5000 },
  // Longer than a call waits, so that a slowly started thread is ready for the retry.
  open: { slots: 2, slotsPerOwner: 1, timeoutMs: 5000 },
  openCalendar: { slots: 1, slotsPerOwner: 1, timeoutMs: 5000 },
  preview: { slots: 2, slotsPerOwner: 1, timeoutMs: 15_000 },
  readFile: { slots: 1, slotsPerOwner: 1, timeoutMs: 10_000 },
  authenticate: { slots: 2, slotsPerOwner: 1, timeoutMs: 10_000 },
}

const THREADS = {
  // Starting one takes as long as dozens of letters.
  idleMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
}

/** @param timeoutMs of every lane, where it differs */
export function createReaderPool(timeoutMs?: number): ReaderPool {
  const lanes = Object.entries(LANES).map(([name, lane]) => [
    name,
    timeoutMs === undefined ? lane : { ...lane, timeoutMs },
  ])
  return createWorkerPool<Tasks>(new URL('./reader-thread.ts', import.meta.url), Object.fromEntries(lanes), THREADS)
}
