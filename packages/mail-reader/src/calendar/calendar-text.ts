import { decodeCharset } from '../mime/charset.ts'

const FOLD = /(?:\r\n|\n|\r)[ \t]/g

/** Decodes a calendar file. Lines are folded by bytes, also within a character (RFC 5545 section 3.1). */
export function calendarText(bytes: Uint8Array, charset?: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // UTF-16 is unfolded when it is decoded.
  const isWide = buffer.includes(0)
  return decodeCharset(isWide ? buffer : Buffer.from(unfold(buffer.toString('latin1')), 'latin1'), charset)
}

/** Without empty ones. Lines may end in any way. */
export function calendarLines(text: string): string[] {
  return unfold(text)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
}

function unfold(text: string): string {
  return withoutIndent(text).replaceAll(FOLD, '')
}

/** BEGIN:VCALENDAR is never folded, so white space after it is the indentation of a file that was pasted. */
function withoutIndent(text: string): string {
  const indent = /^\W*BEGIN:VCALENDAR[ \t]*[\r\n]+([ \t]+)/i.exec(text)?.[1]
  return indent === undefined ? text : text.replaceAll(new RegExp(`([\r\n])${indent}`, 'g'), '$1')
}
