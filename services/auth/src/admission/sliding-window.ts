export type Window = { limit: number; ms: number }

/**
 * Expression for the wait until the next call, in milliseconds by MongoDB's clock; 0 or less means it may go ahead.
 * `$$NOW` is read before a competing write is waited for, so the result is capped at the window.
 * @param times expression for the admitted times, oldest first
 */
export function waitMs(times: string, { limit, ms }: Window): object {
  const oldest = { $ifNull: [{ $arrayElemAt: [times, -limit] }, new Date(0)] }
  return { $min: [ms, { $subtract: [{ $add: [oldest, ms] }, '$$NOW'] }] }
}

/** Expression: true when another call fits. */
export function hasCapacity(times: string, window: Window): object {
  return { $lte: [waitMs(times, window), 0] }
}

/** Expression: the times plus now, cut to the latest `keep`. */
export function withNow(times: string, keep: number): object {
  return { $slice: [{ $concatArrays: [times, ['$$NOW']] }, -keep] }
}

/** Milliseconds to whole seconds, at least 1. */
export function toRetryAfterSec(wait: number): number {
  return Math.max(1, Math.ceil(wait / 1000))
}
