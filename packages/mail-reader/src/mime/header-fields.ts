import { decodeCharset } from './charset.ts'
import { MAX_FIELD_CHARS, MAX_HEADER_FIELDS } from './limits.ts'

/** `value` is unfolded raw bytes as Latin-1 characters. */
export type HeaderField = { name: string; value: string }

const LF = 0x0a
const CR = 0x0d
const FIELD_NAME = /^([!-9;-~]+)[ \t]*:/

/** Names without a hyphen. A letter that begins with "Note:" has no field of that name. */
const PLAIN_NAMES =
  /^(?:from|to|cc|bcc|subject|date|sender|received|comments|keywords|references|organi[sz]ation|importance|priority|precedence|sensitivity|status|lines|path|newsgroups|approved|encoding)$/i
/** Lines that are searched for the next field, and their bytes. */
const MAX_STRAY_LINES = 100
const MAX_STRAY_BYTES = 16 * 1024
const MAX_NAME_BYTES = 80
const MAX_FIELDS_OF_TEXT = 3

/**
 * Reads the header block at `start` (RFC 5322 2.2). A boundary (`isDelimiter`) ends one that has no blank line. So does a line of
 * white space or a line that is no field, if no field follows it before a blank line. Others are skipped; `firstStray` is where the
 * first of them starts.
 */
export function readHeaderFields(bytes: Buffer, start: number, isDelimiter: (offset: number) => boolean) {
  const fields: HeaderField[] = []
  const strays = new Strays(bytes)
  const at = (bodyStart: number) => ({ fields, bodyStart, firstStray: strays.first })
  let position = start
  while (position < bytes.length) {
    const { end, next } = lineAt(bytes, position)
    if (end === position) return at(next)
    if (bytes[position] === 0x2d && isDelimiter(position)) break
    const isBlank = isWhite(bytes, position, end)
    const isStray = isBlank || !takeLine(fields, bytes, position, end)
    if (isStray && strays.endHeader(position, next, isBlank || fields.length > 0)) return at(isBlank ? next : position)
    position = next
  }
  return isHeader(fields) ? at(position) : { ...at(start), fields: [] }
}

/** A text that begins with "Note: " and has no blank line is no header. */
function isHeader(fields: HeaderField[]): boolean {
  const isShort = fields.length > 0 && fields.length <= MAX_FIELDS_OF_TEXT
  return !isShort || fields.some(({ name }) => isFieldOfMail(`${name}:`))
}

/** Lines in a header block that are no fields. */
class Strays {
  readonly #bytes: Buffer
  /** Where the first one with a text starts. */
  first: number | undefined
  /** Those before it are inside the header, so that no line is searched twice. */
  #knownField = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Whether the line at `position` ends the header. Before the first field, only a separator of mailbox files does not. */
  endHeader(position: number, next: number, mayBeInside: boolean): boolean {
    if (!mayBeInside) return !isMailboxLine(this.#bytes, position)
    this.first ??= position
    if (startsWithDashes(this.#bytes, position)) return true
    if (position < this.#knownField) return false
    const found = findField(this.#bytes, next)
    this.#knownField = Math.max(this.#knownField, found)
    return found < 0
  }
}

function lineAt(bytes: Buffer, start: number): { end: number; next: number } {
  const newline = bytes.indexOf(LF, start)
  if (newline < 0) return { end: lineEnd(bytes, start, bytes.length), next: bytes.length }
  return { end: lineEnd(bytes, start, newline), next: newline + 1 }
}

/** Where the next field of this header starts; -1 if a blank line, a boundary or too many other lines come first. */
function findField(bytes: Buffer, from: number): number {
  let position = from
  for (let lines = 0; lines < MAX_STRAY_LINES && position - from < MAX_STRAY_BYTES; lines += 1) {
    const { end, next } = lineAt(bytes, position)
    if (end === position || startsWithDashes(bytes, position)) return -1
    if (isFieldOfMail(bytes.toString('latin1', position, Math.min(end, position + MAX_NAME_BYTES)))) return position
    position = next
  }
  return -1
}

/** No field does, and the boundary of a mail whose header does not end does. */
function startsWithDashes(bytes: Buffer, offset: number): boolean {
  return bytes[offset] === 0x2d && bytes[offset + 1] === 0x2d
}

function isFieldOfMail(line: string): boolean {
  const name = FIELD_NAME.exec(line)?.[1]
  return name !== undefined && (PLAIN_NAMES.test(name) || /^[a-z][\w.]*(?:-[\w.]+)+$/i.test(name))
}

/** The separator of mailbox files, which some programs leave in front of a mail. */
function isMailboxLine(bytes: Buffer, start: number): boolean {
  return /^>?From /.test(bytes.toString('latin1', start, start + 6))
}

function isWhite(bytes: Buffer, start: number, end: number): boolean {
  for (let offset = start; offset < end; offset += 1) if (bytes[offset] !== 0x20 && bytes[offset] !== 0x09) return false
  return true
}

export function rawField(fields: HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value
}

/**
 * The first field with this lower-case name as text (raw UTF-8 is decoded, RFC 6532; encoded words are not).
 * @param charset of 8 bits that are no UTF-8
 */
export function fieldText(fields: HeaderField[], name: string, charset?: string): string | undefined {
  const value = rawField(fields, name)
  return value === undefined ? undefined : decodeRawText(value, charset)
}

export function decodeRawText(value: string, charset = 'utf-8'): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the question is whether there is anything beyond ASCII
  return /^[\x00-\x7f]*$/.test(value) ? value : decodeCharset(Buffer.from(value, 'latin1'), charset)
}

/** Returns false if the line is no field and continues none. */
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
  return false
}

function lineEnd(bytes: Buffer, start: number, newline: number): number {
  return newline > start && bytes[newline - 1] === CR ? newline - 1 : newline
}
