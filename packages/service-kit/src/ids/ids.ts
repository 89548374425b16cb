import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Makes an unguessable id: `<prefix>_` and 26 characters of Crockford's base 32 (130 random bits). */
export function newId(prefix: string): string {
  return `${prefix}_${randomText(26)}`
}

export function randomText(length: number): string {
  let text = ''
  for (const byte of randomBytes(length)) text += ALPHABET[byte & 31]
  return text
}

/** The same id for every attempt of one request. */
export function deriveId(prefix: string, parts: string[]): string {
  return `${prefix}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`
}
