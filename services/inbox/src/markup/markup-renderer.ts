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

/** Such a mail costs the calling thread some milliseconds at the very worst: less than a thread that has to be started. */
const MAX_INLINE_BYTES = 64 * 1024

/** Longer than a call waits: a thread that was slow to start is there for whoever looks again. */
const TIMEOUT_MS = 5000

const LIMITS = {
  maxWorkers: 2,
  maxWorkersPerOwner: 1,
  idleMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
}

/** Makes small markup safe at once, and large in a thread of its own, so that no mail holds up the others. */
export function createMarkupRenderer(timeoutMs = TIMEOUT_MS): MarkupRenderer {
  const script = new URL('./markup-worker.ts', import.meta.url)
  const pool = createWorkerPool<Uint8Array, SafeMarkup | undefined>({ script, timeoutMs, ...LIMITS })
  return {
    render: (owner, raw, signal) =>
      raw.length > MAX_INLINE_BYTES ? pool.run(owner, raw, [raw.buffer], signal) : renderHere(raw),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** The sanitizer is loaded when somebody first wants to see a design. */
async function renderHere(raw: Uint8Array): Promise<SafeMarkup | undefined> {
  const { renderMarkup } = await import('./render-markup.ts')
  return renderMarkup(raw)
}
