import { decodeCharset } from './charset.ts'
import { decodeRawText } from './header-fields.ts'

export type StructuredField = { value: string; parameters: Map<string, string> }

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^;]*))/gs
const SEGMENT = /^([^*]+)\*(?:(\d{1,3})(\*)?)?$/

/**
 * Reads a structured field (RFC 2045 5.1) with split and percent-encoded parameters (RFC 2231). The first duplicate
 * wins.
 */
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
