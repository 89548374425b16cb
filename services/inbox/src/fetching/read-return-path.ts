import { fieldText, readHeaderFields } from '@family-inbox/mail-reader/mime/header-fields'

/** The sender of the envelope, which delivery wrote on top (RFC 5321 4.4). Empty for a bounce; without the field, unknown. */
export function readReturnPath(raw: Buffer): string {
  const { fields } = readHeaderFields(raw, 0, () => false)
  const written = fieldText(fields, 'return-path')
  return written === undefined ? 'unknown' : (/<([^<>]*)>/.exec(written)?.[1] ?? written).trim()
}
