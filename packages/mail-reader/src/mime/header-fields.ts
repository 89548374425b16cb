import { decodeCharset } from './charset.ts'
import { MAX_FIELD_CHARS, MAX_HEADER_FIELDS } from './limits.ts'

/** `value` is unfolded raw bytes as Latin-1 characters. */
export type HeaderField = { name: string; value: string }

const LF = 0x0a
const CR = 0x0d
const FIELD_NAME = /^([!-9;-~]+)[ \t]*:/

/** Reads the header block at `start` (RFC 5322 2.2). A boundary (`isDelimiter`) ends one that has no blank line. */
export function readHeaderFields(bytes: Buffer, start: number, isDelimiter: (offset: number) => boolean) {
  const fields: HeaderField[] = []
  let position = start
  while (position < bytes.length) {
    const newline = bytes.indexOf(LF, position)
    const next = newline < 0 ? bytes.length : newline + 1
    const end = lineEnd(bytes, position, newline < 0 ? bytes.length : newline)
    if (end === position) return { fields, bodyStart: next }
    if (bytes[position] === 0x2d && isDelimiter(position)) return { fields, bodyStart: position }
    if (!takeLine(fields, bytes, position, end)) return { fields, bodyStart: position }
    position = next
  }
  return { fields, bodyStart: bytes.length }
}

export function rawField(fields: HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value
}

/** The first field with this lower-case name as text (raw UTF-8 is decoded, RFC 6532; encoded words are not). */
export function fieldText(fields: HeaderField[], name: string): string | undefined {
  const value = rawField(fields, name)
  return value === undefined ? undefined : decodeRawText(value)
}

export function decodeRawText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the question is whether there is anything beyond ASCII
  return /^[\x00-\x7f]*$/.test(value) ? value : decodeCharset(Buffer.from(value, 'latin1'), 'utf-8')
}

/** Returns false if the line shows that this is not a header block. */
function takeLine(fields: HeaderField[], bytes: Buffer, start: number, end: number): boolean {
  const line = bytes.toString('latin1', start, Math.min(end, start + MAX_FIELD_CHARS))
  const last = fields.at(-1)
  if (last && (line[0] === ' ' || line[0] === '\t')) {
    const remaining = MAX_FIELD_CHARS - last.value.length
    if (remaining > 0) last.value += line.slice(0, remaining)
    return true
  }
  const name = FIELD_NAME.exec(line)?.[1]
  if (name) {
    if (fields.length < MAX_HEADER_FIELDS) {
      fields.push({ name: name.toLowerCase(), value: line.slice(line.indexOf(':') + 1).trim() })
    }
    return true
  }
  return fields.length > 0 || line.startsWith('From ') || line.startsWith('>From ')
}

function lineEnd(bytes: Buffer, start: number, newline: number): number {
  return newline > start && bytes[newline - 1] === CR ? newline - 1 : newline
}
