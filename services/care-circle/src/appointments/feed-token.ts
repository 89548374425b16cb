import { createHmac, type KeyObject } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 32

/** 160 bits in Crockford's base 32. A repeated request gets the same token, although only its hash is stored. */
export function deriveFeedToken(key: KeyObject, id: string): string {
  const digest = createHmac('sha256', key).update(`calendar-feed ${id}`).digest()
  return [...digest.subarray(0, LENGTH)].map((byte) => ALPHABET[byte & 31]).join('')
}
