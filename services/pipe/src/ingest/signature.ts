import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

/** Stands in for a secret that is not there, so that its absence takes no less time. */
const DUMMY = createSecretKey(randomBytes(32))

/** `sha256=` and 64 hex digits. */
const SIGNATURE_LENGTH = 71

/**
 * Whether a signature is `sha256=` and the lower-case hex HMAC-SHA256 (RFC 2104) of the body, by one of the keys. Two are
 * always compared, each in constant time, whether there are two, one or none.
 * @param given the values of the signature header, of which there must be one
 */
export function isSigned(body: Uint8Array, given: readonly string[], keys: readonly KeyObject[]): boolean {
  const signature = Buffer.from(given[0] ?? '')
  const hasForm = given.length === 1 && signature.length === SIGNATURE_LENGTH
  const compared = hasForm ? signature : Buffer.alloc(SIGNATURE_LENGTH)
  const [first, second] = [0, 1].map((slot) => {
    const expected = createHmac('sha256', keys[slot] ?? DUMMY)
      .update(body)
      .digest('hex')
    return timingSafeEqual(Buffer.from(`sha256=${expected}`), compared) && slot < keys.length
  })
  return hasForm && Boolean(first || second)
}
