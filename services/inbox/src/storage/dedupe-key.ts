import { createHash } from 'node:crypto'
import { readHeaderFields } from '../mail/header-fields.ts'
import type { ParsedMessage } from '../mail/parsed-message.ts'

/**
 * The key that a mail is deduplicated by within one inbox: SHA-256, hex. A mail that is delivered again, or that two people
 * forward automatically, keeps its Message-ID and content while its trace fields differ, so it has the same key; another
 * mail that reuses a Message-ID differs in content, so it has another. Without a Message-ID all raw bytes count.
 */
export function dedupeKey(message: ParsedMessage, raw: Uint8Array): string {
  const hash = createHash('sha256')
  if (!message.messageId) return hash.update(raw).digest('hex')
  const { messageId, from, subject, text, html = '', attachments } = message
  const files = attachments.map(({ size, sha256 }) => [size, sha256])
  hash.update(JSON.stringify([messageId, from.address.toLowerCase(), from.name, subject, text, html, files]))
  // What was left out, be it for size or because the mail could not be read, must not make two mails look alike.
  if (message.truncated) hash.update(bodyOf(raw))
  return hash.digest('hex')
}

function bodyOf(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  return bytes.subarray(readHeaderFields(bytes, 0, () => false).bodyStart)
}
