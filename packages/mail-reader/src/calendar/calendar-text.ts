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
  const lines = unfold(text)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
  return lines.some((line) => SOFT_END.test(line)) ? joinSoftEnds(lines) : lines
}

/** vCalendar 1.0 continues a quoted-printable line after `=`. */
const SOFT_END = /^[^:]{0,200}QUOTED-PRINTABLE[^:]{0,200}:.*=$/i

function joinSoftEnds(lines: string[]): string[] {
  const joined: string[] = []
  let open: string[] | undefined
  for (const line of lines) {
    if (open === undefined && !SOFT_END.test(line)) {
      joined.push(line)
      continue
    }
    const isOpen = line.endsWith('=')
    open ??= []
    open.push(isOpen ? line.slice(0, -1) : line)
    if (isOpen) continue
    joined.push(open.join(''))
    open = undefined
  }
  return open === undefined ? joined : [...joined, open.join('')]
}

function unfold(text: string): string {
  return withoutIndent(text).replaceAll(FOLD, '')
}

/** BEGIN:VCALENDAR is never folded, so white space after it is the indentation of a file that was pasted. */
function withoutIndent(text: string): string {
  const indent = /^\W*BEGIN:VCALENDAR[ \t]*[\r\n]+([ \t]+)/i.exec(text)?.[1]
  return indent === undefined ? text : text.replaceAll(new RegExp(`([\r\n])${indent}`, 'g'), '$1')
}
