import { createWorkerPool } from '../worker-pool.ts'
import type { SafeMarkup } from './safe-markup.ts'

export type MarkupRenderer = AsyncDisposable & {
  /** Undefined if the mail has no markup. Throws if it takes too long or too much memory. */
  render(owner: string, raw: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<SafeMarkup | undefined>
}

/** Longer than a call waits, so that a slowly started thread is ready for the retry. */
const TIMEOUT_MS = 5000

const LIMITS = {
  maxWorkers: 2,
  maxWorkersPerOwner: 1,
  idleMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
}

/** Strangers write markup, so worker threads sanitize it: no mail may block the thread that serves everyone else. */
export function createMarkupRenderer(timeoutMs = TIMEOUT_MS): MarkupRenderer {
  const module = new URL('./render-markup.ts', import.meta.url)
  const pool = createWorkerPool<Uint8Array, SafeMarkup | undefined>({
    module,
    task: 'renderMarkup',
    timeoutMs,
    ...LIMITS,
  })
  return {
    async render(owner, raw, signal) {
      const copy = new Uint8Array(raw)
      return pool.run(owner, copy, [copy.buffer], signal)
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
