import { cutBytes, decodeCharset } from './charset.ts'
import { joinFlowedLines } from './flowed-text.ts'
import { looksLikeHtml } from './html-text.ts'
import { MAX_TEXT_PART_BYTES } from './limits.ts'
import { isMultipart, type MimePart } from './mime-part.ts'
import { decodeTransfer, isReadableEncoding } from './transfer-encoding.ts'

export type BodyKind = 'plain' | 'html'
type BodyText = { kind: BodyKind; text: string }

const SNIFFED_BYTES = 400

/** Whether the part is body text; every other leaf is an attachment. */
export function isBodyText(part: MimePart): boolean {
  if (part.children.length > 0) return false
  if (isMultipart(part)) return true // its boundary never appears, so the content is text
  if (part.type !== 'text/plain' && part.type !== 'text/html') return false
  const { value, parameters } = part.disposition
  const isFile = value === 'attachment' || (part.parent !== undefined && parameters.has('filename'))
  return !isFile && isReadableEncoding(part.encoding)
}

/** Some systems send HTML documents labeled text/plain. */
export function bodyKind(part: MimePart): BodyKind {
  if (part.type === 'text/html') return 'html'
  return looksLikeHtml(decodeTransfer(part.body.subarray(0, SNIFFED_BYTES), part.encoding).toString('latin1'))
    ? 'html'
    : 'plain'
}

/** Decodes a body part: transfer encoding, charset and flowed lines. Cuts oversized parts. */
export function readBodyText(part: MimePart): BodyText {
  const encoded = part.body.subarray(0, MAX_TEXT_PART_BYTES)
  const bytes = decodeTransfer(encoded, part.encoding)
  const whole = encoded.length < part.body.length ? cutBytes(bytes, bytes.length - 1) : bytes
  const text = decodeCharset(whole, part.parameters.get('charset'))
  const kind = bodyKind(part)
  if (kind === 'html' || part.parameters.get('format')?.toLowerCase() !== 'flowed') return { kind, text }
  return { kind, text: joinFlowedLines(text, part.parameters.get('delsp')?.toLowerCase() === 'yes') }
}
