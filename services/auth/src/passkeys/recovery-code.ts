import { createHash, randomInt } from 'node:crypto'

const CODES = 8

/** Without 0, 1, i, l, o and u, which people misread. */
const LETTERS = '23456789abcdefghjkmnpqrstvwxyz'

/** 16 of 30 letters: 78 bits, too many to guess from a hash. */
const LENGTH = 16

export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newRecoveryCode)
}

function newRecoveryCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)])
  return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Bound to the person, in any spacing and case. */
export function hashRecoveryCode(personId: string, typed: string): string {
  const code = typed
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, '')
  return createHash('sha256').update(`${personId}\n${code}`).digest('hex')
}
