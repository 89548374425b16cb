import { LRUCache } from 'lru-cache'

/** The loss of a bucket each second, and its size. */
export type BucketRule = { perSecond: number; burst: number }

export type LeakyBuckets = {
  has(id: string): boolean
  /** Keeps a bucket as it is, or starts an empty one. */
  keep(id: string): void
  /** Pours in, even beyond the brim; a negative amount is taken out again. */
  add(id: string, amount: number): void
  /** Whole seconds until this amount fits; 0 when it does now. */
  secondsUntilFree(id: string, amount: number): number
}

const MOST_BUCKETS = 20_000
/** Since it was last looked at. Far longer than any bucket takes to run empty. */
const KEPT_MS = 15 * 60 * 1000

/** Leaky buckets in memory, one for each client. */
export function createLeakyBuckets({ perSecond, burst }: BucketRule, now = () => performance.now()): LeakyBuckets {
  const buckets = new LRUCache<string, { level: number; at: number }>({
    max: MOST_BUCKETS,
    ttl: KEPT_MS,
    updateAgeOnGet: true,
  })

  function levelOf(id: string): number {
    const { level, at } = buckets.get(id) ?? { level: 0, at: now() }
    return Math.max(0, level - ((now() - at) / 1000) * perSecond)
  }

  const add = (id: string, amount: number) =>
    void buckets.set(id, { level: Math.max(0, levelOf(id) + amount), at: now() })
  return {
    has: (id) => buckets.has(id),
    keep: (id) => add(id, 0),
    add,
    secondsUntilFree: (id, amount) => Math.max(0, Math.ceil((levelOf(id) + amount - burst) / perSecond)),
  }
}
