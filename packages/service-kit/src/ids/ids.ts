import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Makes an unguessable id: `<prefix>_` and 26 characters of Crockford's base 32 (130 random bits). */
export function newId(prefix: string): string {
  return `${prefix}_${randomText(26)}`
}

export function randomText(length: number): string {
  let text = ''
  for (const byte of takeRandomBytes(length)) text += ALPHABET[byte & 31]
  return text
}

/** A call of the system's generator costs about the same for one id as for many. */
const POOL_BYTES = 4096

let pool = Buffer.alloc(0)

function takeRandomBytes(count: number): Buffer {
  if (pool.length < count) pool = randomBytes(Math.max(count, POOL_BYTES))
  const taken = pool.subarray(0, count)
  pool = pool.subarray(count)
  return taken
}

/** The same id for every attempt of one request. */
export function deriveId(prefix: string, parts: string[]): string {
  return `${prefix}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`
}
