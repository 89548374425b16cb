import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import type { Visit } from './visit.ts'
import type { Workspace } from './workspace.ts'

const IV_BYTES = 12
const TAG_BYTES = 16
const LIFETIME_MS = 24 * 3_600_000
const MAX_WORDS = 200

type Reader = {
  /** Shared by all replicas of this service. */
  secret: unknown
  personId: string
  now: Date
}

/** Encrypts search words for a URL, so that browser history and logs do not reveal them. */
export function sealWords(words: string, { secret, personId, now }: Reader): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv).setAAD(Buffer.from(personId))
  const content = JSON.stringify([now.getTime() + LIFETIME_MS, words.slice(0, MAX_WORDS)])
  const sealed = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** Returns an empty string for another person's, expired, or forged words. */
export function openWords(sealed: string, { secret, personId, now }: Reader): string {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= IV_BYTES + TAG_BYTES) return ''
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(personId))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  try {
    const content = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    const [expiresAt, words] = JSON.parse(content.toString()) as [number, string]
    return expiresAt > now.getTime() ? words : ''
  } catch {
    return ''
  }
}

/** The person whose words are sealed. */
export function readerOf({ config }: Context, { clock }: Visit, { session }: Workspace) {
  return { secret: config.serviceKey, personId: session.personId, now: clock.now }
}

function keyOf(secret: unknown): Buffer {
  return Buffer.from(hkdfSync('sha256', JSON.stringify(secret), '', 'words searched for', 32))
}
