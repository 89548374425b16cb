import { createLeakyBuckets } from '@family-inbox/service-kit/lifecycle/leaky-buckets'
import { LRUCache } from 'lru-cache'
import type { DocumentProblem } from '../preview/drawn.ts'
import type { Preview, PreviewTask } from '../preview/make-preview.ts'
import type { ReaderPool } from './reader-pool.ts'

/** A preview, or why there is none. */
type Made = Preview | DocumentProblem | 'failed'

/** Makes previews of files that strangers sent. Workspaces take turns. */
export type AttachmentPreviews = {
  /** A preview that was made before; `failed` if it could not be made. */
  find(key: string): Made | undefined
  /** Returns `failed` when it cannot be made within the limits, and `busy` when the workspace has used up its time. */
  make(owner: string, key: string, task: PreviewTask, signal: AbortSignal): Promise<Made | 'busy'>
}

/** In milliseconds: a few long documents in a row; after that, a tenth of a processor for each workspace. */
const WORK_LIMIT = { perSecond: 100, burst: 30_000 }
const MAX_KEPT_BYTES = 32 * 1024 * 1024
const MAX_PREVIEW_BYTES = 3 * 1024 * 1024
/** Short, because deleted mail must not stay in memory. */
const KEPT_MS = 10 * 60_000
/** A file that failed may have met a busy machine. */
const FAILURE_KEPT_MS = 60_000
const MIN_SIZE = 1024
const FAILURE_MS = 1000

/** Works in threads that are ended after their time. What could not be shown is remembered, too, so it costs once. */
export function createAttachmentPreviews(pool: ReaderPool, now?: () => number): AttachmentPreviews {
  const work = createLeakyBuckets(WORK_LIMIT, now)
  const kept = new LRUCache<string, Made>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: sizeOf,
  })

  async function run(owner: string, task: PreviewTask, signal: AbortSignal): Promise<Made> {
    // Moving a part of a larger buffer would move all of it.
    const content = new Uint8Array(task.content)
    try {
      const { preview, ms } = await pool.run('preview', owner, { ...task, content }, [content.buffer], signal)
      work.add(owner, ms)
      return sizeOf(preview) > MAX_PREVIEW_BYTES ? 'failed' : preview
    } catch (error) {
      signal.throwIfAborted()
      // Time in the queue does not count, so the time of a failure is known only when it ran out.
      const ranOut = error instanceof Error && error.name === 'AbortError'
      work.add(owner, ranOut ? pool.lanes.preview.timeoutMs : FAILURE_MS)
      return 'failed'
    }
  }

  return {
    find: (key) => kept.get(key),
    async make(owner, key, task, signal) {
      if (work.secondsUntilFree(owner, 0) > 0) return 'busy'
      const preview = await run(owner, task, signal)
      kept.set(key, preview, { ttl: preview === 'failed' ? FAILURE_KEPT_MS : KEPT_MS })
      return preview
    },
  }
}

function sizeOf(preview: Made): number {
  return MIN_SIZE + (typeof preview === 'string' ? 0 : preview.drawing.jpeg.length)
}
