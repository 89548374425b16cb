import { createWorkerPool } from '../mail/worker-pool.ts'
import type { SafeMarkup } from './safe-markup.ts'

export type MarkupRenderer = AsyncDisposable & {
  /**
   * The safe markup of an original mail; undefined when it has none.
   * @throws when it takes too long or too much memory
   */
  render(raw: Uint8Array): Promise<SafeMarkup | undefined>
}

/** Longer than a call waits: a thread that was slow to start is there for whoever looks again. */
const TIMEOUT_MS = 5000

const LIMITS = {
  maxWorkers: 2,
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
    async render(raw) {
      const copy = new Uint8Array(raw)
      return pool.run(copy, [copy.buffer])
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
