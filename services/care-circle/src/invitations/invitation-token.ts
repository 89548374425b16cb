import { createHmac, type KeyObject } from 'node:crypto'

/**
 * The secret in an invitation's link: 52 characters of base 32, derived and not random, so that a mail a crash left unsent
 * can be written again although only the token's hash is stored.
 * @param sendNumber 1 for the first mail; each further mail has another token
 */
export function invitationToken(key: KeyObject, invitationId: string, sendNumber: number): string {
  const digest = createHmac('sha256', key).update(`invitation ${invitationId} ${sendNumber}`).digest('hex')
  return BigInt(`0x${digest}`).toString(32).padStart(52, '0')
}
