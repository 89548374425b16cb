import { createHash, randomInt } from 'node:crypto'

const CODES = 8

/** Without 0, 1, i, l, o and u, which people misread. */
const LETTERS = '23456789abcdefghjkmnpqrstvwxyz'

/** 16 of 30 letters: 78 bits, too many to guess from a hash. */
const LENGTH = 16

export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newRecoveryCode)
}

/** A code that is easy to copy by hand and hard to guess. The operator's set-up code is one as well. */
export function newRecoveryCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)])
  return letters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
}

/** Bound to its holder, in any spacing and case. */
export function hashRecoveryCode(holder: string, typed: string): string {
  const code = typed
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^0-9a-z]/g, '')
  return createHash('sha256').update(`${holder}\n${code}`).digest('hex')
}
