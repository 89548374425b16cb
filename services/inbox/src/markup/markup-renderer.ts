import { createWorkerPool } from '../mail/worker-pool.ts'
import type { SafeMarkup } from './safe-markup.ts'

export type MarkupRenderer = AsyncDisposable & {
  /**
   * The safe markup of an original mail; undefined when it has none. Owners take turns.
   * @param signal says when nobody waits for it any more
   * @throws when it takes too long or too much memory
   */
  render(owner: string, raw: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<SafeMarkup | undefined>
}

/** Longer than a call waits: a thread that was slow to start is there for whoever looks again. */
const TIMEOUT_MS = 5000

const LIMITS = {
  maxWorkers: 2,
  maxWorkersPerOwner: 1,
  idleMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
}

/**
 * Makes markup safe in threads of their own, small or large: strangers write it, and however long one mail takes, the thread
 * that answers everybody else is free, and the one that makes it safe is ended after its time.
 */
export function createMarkupRenderer(timeoutMs = TIMEOUT_MS): MarkupRenderer {
  const script = new URL('./markup-worker.ts', import.meta.url)
  const pool = createWorkerPool<Uint8Array, SafeMarkup | undefined>({ script, timeoutMs, ...LIMITS })
  return {
    async render(owner, raw, signal) {
      const copy = new Uint8Array(raw)
      return pool.run(owner, copy, [copy.buffer], signal)
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
