import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Makes an id nobody can guess: the prefix, an underscore and 26 characters of Crockford's base 32 (130 random bits).
 * @param prefix a short word that says what the id names, for people who read logs
 */
export function newId(prefix: string): string {
  return `${prefix}_${randomText(26)}`
}

/** Random text of Crockford's base 32 in lower case: 5 bits a character, no letters that look like digits. */
export function randomText(length: number): string {
  let text = ''
  for (const byte of randomBytes(length)) text += ALPHABET[byte & 31]
  return text
}
