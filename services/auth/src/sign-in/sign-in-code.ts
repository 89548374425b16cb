import { randomInt } from 'node:crypto'

/**
 * With 5 tries a code, and 20 codes an address and day, an attacker who does nothing else for a year finds the code of one
 * address with a chance of 1 in 2,700; 6 digits would make it 1 in 27.
 */
const DIGITS = 8

export const CODE_TRIES = 5
export const CODE_LIFETIME_MS = 10 * 60_000

/** A new one-time code: digits, since any keyboard has them. */
export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

/** The code as it is shown: in two groups, to be read and typed without losing one's place. */
export function showCode(code: string): string {
  return `${code.slice(0, DIGITS / 2)} ${code.slice(DIGITS / 2)}`
}

/** The code a person typed, whatever they put between the groups. */
export function readCode(typed: string): string {
  return typed.normalize('NFKC').replaceAll(/[^0-9]/g, '')
}
