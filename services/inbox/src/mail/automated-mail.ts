import { type HeaderField, rawField } from './header-fields.ts'

/** The Auto-Submitted keyword in lower case, such as `auto-replied` (RFC 3834 5). */
export function autoSubmittedKeyword(fields: HeaderField[]): string | undefined {
  return /^[a-z-]+/.exec(rawField(fields, 'auto-submitted')?.toLowerCase() ?? '')?.[0]
}

/**
 * Whether a machine sent this mail: auto-submitted (RFC 3834), list or bulk (RFC 2919), a report, or a null return
 * path. X-Auto-Response-Suppress is ignored because people's mail carries it too.
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
