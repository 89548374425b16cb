const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Some 20 hours in all: a clinic's mail server that is down over night still gets the mail (RFC 5321 section 4.5.4.1). */
const DELAYS = [
  5 * SECOND,
  20 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  4 * HOUR,
  8 * HOUR,
]

/**
 * How long to wait before the next try, in milliseconds.
 * @param attempts how many tries there have been
 * @returns undefined when there have been enough
 */
export function retryDelay(attempts: number): number | undefined {
  return DELAYS[attempts - 1]
}
