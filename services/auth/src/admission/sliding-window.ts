/** At most `limit` times in any `ms` milliseconds. */
export type Window = { limit: number; ms: number }

/**
 * The aggregation expression for how long the next one must wait, in milliseconds: at most 0 when there is room. The one
 * `limit` times ago must be older than the window, by MongoDB's clock, or not be there. Who had to wait for another's update has
 * an earlier clock than that other, and never waits longer than the window for it.
 * @param times the expression for the times that were admitted, oldest first
 */
export function waitMs(times: string, { limit, ms }: Window): object {
  const oldest = { $ifNull: [{ $arrayElemAt: [times, -limit] }, new Date(0)] }
  return { $min: [ms, { $subtract: [{ $add: [oldest, ms] }, '$$NOW'] }] }
}

/** The expression for whether there is room for one more. */
export function hasRoom(times: string, window: Window): object {
  return { $lte: [waitMs(times, window), 0] }
}

/** The expression for the times with this one added, of which no more than `keep` are needed. */
export function withNow(times: string, keep: number): object {
  return { $slice: [{ $concatArrays: [times, ['$$NOW']] }, -keep] }
}

/** Whole seconds after which there is room, at least 1. */
export function toRetryAfterSec(wait: number): number {
  return Math.max(1, Math.ceil(wait / 1000))
}
