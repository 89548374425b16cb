import { LRUCache } from 'lru-cache'

/** Long enough to take the weight off a flood, short enough not to matter to anybody else. */
const REMEMBERED_MS = 1000

export type RecentRefusals = {
  /** The seconds a client that was refused a moment ago still has to wait; undefined when it has to be asked. */
  find(key: string): number | undefined
  remember(key: string, retryAfterSec: number): void
}

/**
 * Remembers for a second who was refused, so that a flood is answered without asking anybody. Who has no token now has none
 * before the time they were told, whichever replica says so: what is remembered stays true, and is never the reason that
 * somebody gets through.
 */
export function createRecentRefusals(): RecentRefusals {
  const waitUntil = new LRUCache<string, number>({ max: 10_000 })
  return {
    find(key) {
      const until = waitUntil.get(key)
      return until === undefined ? undefined : Math.max(1, Math.ceil((until - performance.now()) / 1000))
    },
    remember(key, retryAfterSec) {
      const waitMs = retryAfterSec * 1000
      // What was rounded up to a whole second may be over a second earlier.
      const ttl = Math.min(REMEMBERED_MS, waitMs - 1000)
      if (ttl > 0) waitUntil.set(key, performance.now() + waitMs, { ttl })
    },
  }
}
