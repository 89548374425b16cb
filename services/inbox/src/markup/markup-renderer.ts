import { createWorkerPool } from '../mail/worker-pool.ts'
import type { SafeMarkup } from './safe-markup.ts'

export type MarkupRenderer = AsyncDisposable & {
  /**
   * The safe markup of an original mail; undefined when it has none.
   * @throws when it takes too long or too much memory
   */
  render(raw: Uint8Array<ArrayBuffer>): Promise<SafeMarkup | undefined>
}

const LIMITS = {
  maxWorkers: 1,
  // Within the time a call has, the start of the thread included.
  timeoutMs: 1500,
  idleMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
}

/** Makes markup safe in a thread of its own, so that no mail holds up the others. */
export function createMarkupRenderer(): MarkupRenderer {
  const script = new URL('./markup-worker.ts', import.meta.url)
  const pool = createWorkerPool<Uint8Array, SafeMarkup | undefined>({ script, ...LIMITS })
  return {
    render: (raw) => pool.run(raw, [raw.buffer]),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
