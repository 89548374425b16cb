import { LRUCache } from 'lru-cache'

const CACHED_MS = 1000

export type RecentRefusals = {
  /** The seconds a recently refused client still has to wait; undefined when unknown. */
  find(key: string): number | undefined
  remember(key: string, retryAfterSec: number): void
}

/** Keeps a flood from the sandbox service. No token comes before the wait is over, so a refusal stays correct. */
export function createRecentRefusals(): RecentRefusals {
  const waitUntil = new LRUCache<string, number>({ max: 10_000 })
  return {
    find(key) {
      const until = waitUntil.get(key)
      return until === undefined ? undefined : Math.max(1, Math.ceil((until - performance.now()) / 1000))
    },
    remember(key, retryAfterSec) {
      const waitMs = retryAfterSec * 1000
      // The wait was rounded up to whole seconds, so a token may come a second earlier.
      const ttl = Math.min(CACHED_MS, waitMs - 1000)
      if (ttl > 0) waitUntil.set(key, performance.now() + waitMs, { ttl })
    },
  }
}
