export type Window = { limit: number; ms: number }

/** In ms; 0 or less means now. Capped: `$$NOW` is read before the wait for a competing write. @param times oldest first */
export function waitMs(times: string, { limit, ms }: Window): object {
  const oldest = { $ifNull: [{ $arrayElemAt: [times, -limit] }, new Date(0)] }
  return { $min: [ms, { $subtract: [{ $add: [oldest, ms] }, '$$NOW'] }] }
}

export function hasCapacity(times: string, window: Window): object {
  return { $lte: [waitMs(times, window), 0] }
}

export function withNow(times: string, keep: number): object {
  return { $slice: [{ $concatArrays: [times, ['$$NOW']] }, -keep] }
}

export function toRetryAfterSec(wait: number): number {
  return Math.max(1, Math.ceil(wait / 1000))
}
