import { type HeaderField, rawField } from './header-fields.ts'

/** The keyword of Auto-Submitted in lower case, such as `auto-replied` (RFC 3834 5). */
export function autoSubmittedKeyword(fields: HeaderField[]): string | undefined {
  return /^[a-z-]+/.exec(rawField(fields, 'auto-submitted')?.toLowerCase() ?? '')?.[0]
}

/**
 * Tells whether a machine sent this mail: it says so (RFC 3834), comes through a list or in bulk (RFC 2919), is a delivery
 * report, or has a null return path (RFC 3834 2). X-Auto-Response-Suppress is a wish of human senders too, so it says nothing.
 * @param nullReturnPath the envelope had `MAIL FROM:<>`
 */
export function isAutomated(fields: HeaderField[], nullReturnPath = false): boolean {
  const keyword = autoSubmittedKeyword(fields)
  if (keyword !== undefined && keyword !== 'no') return true
  if (/^(?:bulk|list|junk|auto_reply)\b/i.test(rawField(fields, 'precedence') ?? '')) return true
  if (rawField(fields, 'list-id') !== undefined) return true
  if (/^multipart\/report\b/i.test(rawField(fields, 'content-type') ?? '')) return true
  return nullReturnPath || /^<\s*>$/.test(rawField(fields, 'return-path') ?? '')
}
