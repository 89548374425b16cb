import { createHash } from 'node:crypto'
import { readHeaderFields } from '../mail/header-fields.ts'
import type { ParsedMessage } from '../mail/parsed-message.ts'

/**
 * Identifies a mail within one inbox: SHA-256, hex. Redelivered or auto-forwarded copies keep Message-ID and content,
 * so they match; a reused Message-ID with other content does not. Without a Message-ID, all raw bytes count.
 */
export function dedupeKey(message: ParsedMessage, raw: Uint8Array): string {
  const hash = createHash('sha256')
  if (!message.messageId) return hash.update(raw).digest('hex')
  const { messageId, from, subject, text, html = '', attachments } = message
  const files = attachments.map(({ size, sha256 }) => [size, sha256])
  hash.update(JSON.stringify([messageId, from.address.toLowerCase(), from.name, subject, text, html, files]))
  // Omitted or unreadable content must not make two mails look alike.
  if (message.truncated) hash.update(bodyOf(raw))
  return hash.digest('hex')
}

function bodyOf(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  return bytes.subarray(readHeaderFields(bytes, 0, () => false).bodyStart)
}
