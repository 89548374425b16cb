import { createHash, randomBytes } from 'node:crypto'

/** A new secret nobody can guess: 256 random bits as 43 characters of base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The form in which a secret is stored and looked up: its SHA-256, hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
