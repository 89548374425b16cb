/** A bucket that holds `capacity` tokens and gets one back every `refillMs`. */
export type TokenBucket = { capacity: number; refillMs: number }

/**
 * A bucket is kept as the one moment at which it will be full again: each token taken puts that off by one refill, and a
 * token is there as long as it is not more than `capacity` refills away. These are the aggregation expressions for that,
 * by MongoDB's own clock, so that every replica counts alike.
 */
const fullAt = { $max: [{ $ifNull: ['$fullAt', '$$NOW'] }, '$$NOW'] }

/** How many of the tokens somebody asks for there are. */
export function grantable({ capacity, refillMs }: TokenBucket, asked: number): object {
  const room = { $subtract: [capacity * refillMs, { $subtract: [fullAt, '$$NOW'] }] }
  return { $max: [0, { $min: [asked, { $floor: { $divide: [room, refillMs] } }] }] }
}

/** How long the next token takes to come, in milliseconds; at most 0 when there is one. */
export function waitMs({ capacity, refillMs }: TokenBucket): object {
  return { $subtract: [{ $subtract: [fullAt, '$$NOW'] }, (capacity - 1) * refillMs] }
}

/** When the bucket is full again once as many tokens have been taken as the row says. */
export function fullAfterTaken({ refillMs }: TokenBucket): object {
  return { $add: [fullAt, { $multiply: ['$taken', refillMs] }] }
}

/** When the bucket is full again once a token has been given back. */
export function fullAfterOneLess({ refillMs }: TokenBucket): object {
  return { $subtract: ['$fullAt', refillMs] }
}
