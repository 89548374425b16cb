import { beginsLikeCalendar, isCalendarName } from './calendar-content.ts'
import { decodeCharset } from './charset.ts'
import { decodeRawText, type HeaderField, rawField } from './header-fields.ts'
import { guessEncoding, isKnownEncoding, isReadableEncoding } from './transfer-encoding.ts'

const MAX_ENCODING_CHARS = 100

export type MimePart = {
  fields: HeaderField[]
  type: string
  parameters: Map<string, string>
  disposition: StructuredField
  /** Lower-case transfer encoding; empty if none. On a parsed leaf it is always a known one. */
  encoding: string
  /** Still transfer-encoded. */
  body: Buffer
  /** Parts of a multipart, or the message inside a message/rfc822. */
  children: MimePart[]
  parent?: MimePart
  /** Neither a multipart nor a message, but taken apart into its children (open-part.ts). */
  isOpened?: true
  /** S/MIME that only its addressee can read. */
  isEncrypted?: true
  /** A text file that is shown because the mail has no other text. */
  isOnlyText?: true
}

export function createPart(fields: HeaderField[], parent: MimePart | undefined): MimePart {
  const contentType = parseStructuredField(rawField(fields, 'content-type') ?? '')
  return {
    fields,
    type: normalizeType(contentType.value) ?? defaultType(parent),
    parameters: contentType.parameters,
    disposition: parseStructuredField(rawField(fields, 'content-disposition') ?? ''),
    encoding: readEncoding(rawField(fields, 'content-transfer-encoding')?.toLowerCase() ?? ''),
    body: Buffer.alloc(0),
    children: [],
    parent,
  }
}

/** A part that is made from what is inside of another one. */
export function makePart(type: string, parameters: Map<string, string>, parent?: MimePart): MimePart {
  const disposition = { value: '', parameters: new Map<string, string>() }
  return { fields: [], type, parameters, disposition, encoding: '', body: Buffer.alloc(0), children: [], parent }
}

const MISWRITTEN_TYPES: Record<string, string> = {
  plain: 'text/plain',
  'plain/text': 'text/plain',
  'text/text': 'text/plain',
  'text/ascii': 'text/plain',
  html: 'text/html',
  'html/text': 'text/html',
  'text/htm': 'text/html',
  'application/xhtml+xml': 'text/html',
}

function normalizeType(value: string): string | undefined {
  const type = value.replace(/\s+/g, '')
  return MISWRITTEN_TYPES[type] ?? (type.includes('/') ? type : undefined)
}

/** The first word, since comments may follow; the whole value if that is not a known encoding. */
function readEncoding(value: string): string {
  const first = /[\w-]+/.exec(value)?.[0] ?? ''
  return isKnownEncoding(first) ? first : value.trim().slice(0, MAX_ENCODING_CHARS)
}

export function isMultipart(part: MimePart): boolean {
  return part.type.startsWith('multipart/')
}

export function isMessage(part: MimePart): boolean {
  return part.type === 'message/rfc822' || part.type === 'message/global'
}

export function isBodyText(part: MimePart): boolean {
  if (part.children.length > 0) return false
  if (isMultipart(part)) return true // its boundary never appears, so the content is text
  if (part.isOnlyText) return true
  if (part.type !== 'text/plain' && part.type !== 'text/html') return false
  const { value, parameters } = part.disposition
  const isFile = value === 'attachment' || (part.parent !== undefined && parameters.has('filename'))
  return !isFile && !isCalendarText(part) && isReadableEncoding(part.encoding)
}

/** A calendar that is declared as plain text. The reader of a mail sees its events instead. */
function isCalendarText({ type, parameters, body }: MimePart): boolean {
  return type === 'text/plain' && (isCalendarName(parameters.get('name') ?? '') || beginsLikeCalendar(body))
}

export function leaves(part: MimePart): MimePart[] {
  const found: MimePart[] = []
  const pending = [part]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.children.length === 0) found.push(next)
    pending.push(...next.children.toReversed())
  }
  return found
}

/** RFC 2046 5.1.5: parts of a digest default to messages, all others to plain text. */
function defaultType(parent: MimePart | undefined): string {
  return parent?.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
}

type StructuredField = { value: string; parameters: Map<string, string> }

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^;]*))/gs
const SEGMENT = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/

/** Reads a structured field (RFC 2045 5.1) with RFC 2231 parameters. The first duplicate wins. */
export function parseStructuredField(raw: string): StructuredField {
  const value = (/^[^;(]*/.exec(raw)?.[0] ?? '').trim().toLowerCase()
  const parameters = new Map<string, string>()
  const segments = new Map<string, string[]>()
  for (const [, name = '', quoted, token] of raw.matchAll(PARAMETER)) {
    const text = quoted === undefined ? withoutComment(token ?? '') : quoted.replace(/\\(.)/gs, '$1')
    const segment = SEGMENT.exec(name.toLowerCase())
    if (segment) addSegment(segments, segment, name.endsWith('*'), text)
    else setOnce(parameters, name.toLowerCase(), decodeRawText(text))
  }
  for (const [name, pieces] of segments) parameters.set(name, joinSegments(pieces))
  return { value, parameters }
}

function addSegment(
  segments: Map<string, string[]>,
  [, name = '', order]: RegExpExecArray,
  encoded: boolean,
  text: string,
) {
  const pieces = segments.get(name) ?? []
  // Escaped so that all segments decode together: a character may span two of them.
  pieces[Number(order ?? 0)] ??= encoded ? text : escapePercent(text, Number(order ?? 0) === 0)
  segments.set(name, pieces)
}

function joinSegments(pieces: string[]): string {
  const whole = pieces.join('')
  const [, charset = 'utf-8', encoded = whole] = /^([^']*)'[^']*'(.*)$/s.exec(whole) ?? []
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decodeCharset(Buffer.from(bytes, 'latin1'), charset)
}

function escapePercent(text: string, first: boolean): string {
  const escaped = text.replaceAll('%', '%25')
  return first ? `''${escaped}` : escaped
}

function withoutComment(token: string): string {
  return token.replace(/\s\(.*$/s, '').trim()
}

function setOnce(parameters: Map<string, string>, name: string, value: string) {
  if (!parameters.has(name)) parameters.set(name, value)
}

export function isBlank(body: Buffer): boolean {
  return (
    body.length < MAX_BLANK_BYTES &&
    body
      .toString('latin1')
      .replace(/<[^<>]*>/g, '')
      .trim() === ''
  )
}

const MAX_BLANK_BYTES = 200

export function isEncoded(part: MimePart): boolean {
  return part.encoding === 'base64' || part.encoding === 'quoted-printable'
}

export function encodingByLook(part: MimePart): string {
  return part.children.length > 0 ? '' : guessEncoding(part.encoding, part.body)
}
