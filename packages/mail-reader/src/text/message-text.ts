import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { escapeHtml } from '@family-inbox/service-kit/text/escape-html'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { decodeCharset } from '../mime/charset.ts'
import { MAX_COMPARISONS, MAX_HTML_CHARS, MAX_TEXT_CHARS, MAX_TEXT_PART_BYTES } from '../mime/limits.ts'
import { isBodyText, leaves, type MimePart } from '../mime/mime-part.ts'
import { decodeTransfer } from '../mime/transfer-encoding.ts'
import type { HtmlConverter } from './html-text.ts'
import { bodyKind, type Rendering, renderBody } from './render-body.ts'

const MAX_EVENTS = 20

export type ComposedText = {
  text: string
  truncated: boolean
  /** Converted from HTML, because there was no plain text or only a placeholder. */
  isConverted: boolean
}

/** Plain text, with a line for each calendar event. Undefined if HTML must be converted and there is no converter. */
export function composeText(root: MimePart, convert: HtmlConverter): ComposedText
export function composeText(root: MimePart, convert?: HtmlConverter): ComposedText | undefined
export function composeText(root: MimePart, convert?: HtmlConverter): ComposedText | undefined {
  let needsConverter = false
  const demandConverter = () => {
    needsConverter = true
    return ''
  }
  const rendering: Rendering = {
    prefer: 'plain',
    separator: '\n\n',
    plain: (text) => text,
    html: convert ?? demandConverter,
    remaining: MAX_TEXT_CHARS * 2, // cleaning shortens the text
    truncated: false,
    hasHtml: false,
    comparisons: MAX_COMPARISONS,
  }
  const body = renderBody(root, rendering)
  if (needsConverter) return undefined
  const text = cleanText([body, ...calendarLines(root)].join('\n\n'))
  return {
    text: cut(text, MAX_TEXT_CHARS).trimEnd(),
    truncated: rendering.truncated || text.length > MAX_TEXT_CHARS,
    isConverted: rendering.hasHtml,
  }
}

/** The unsafe HTML as sent; undefined if there is none. */
export function composeHtml(root: MimePart): string | undefined {
  if (!leaves(root).some((leaf) => isBodyText(leaf) && bodyKind(leaf) === 'html')) return undefined
  return renderBody(root, {
    prefer: 'html',
    separator: '\n',
    plain: (text) => `<div style="white-space:pre-wrap">${escapeHtml(text)}</div>`,
    html: (markup) => markup,
    remaining: MAX_HTML_CHARS,
    truncated: false,
    hasHtml: false,
    comparisons: 0,
  })
}

export function previewOf(text: string): string {
  let line = ''
  // Only text that is mostly spaces needs the longer slice.
  for (const look of [PREVIEW_CHARACTERS * 3, PREVIEW_CHARACTERS * 50]) {
    line = cut(text, look).replace(/\s+/g, ' ').trim()
    if (line.length >= PREVIEW_CHARACTERS) break
  }
  return cut(line, PREVIEW_CHARACTERS).trimEnd()
}

export function isCalendar(part: MimePart): boolean {
  return part.type === 'text/calendar' || part.type === 'application/ics'
}

function calendarLines(root: MimePart): Set<string> {
  const lines = new Set<string>()
  for (const part of leaves(root).filter(isCalendar).slice(0, MAX_EVENTS)) {
    const bytes = decodeTransfer(part.body.subarray(0, MAX_TEXT_PART_BYTES), part.encoding)
    const line = describeCalendar(decodeCharset(bytes, part.parameters.get('charset')))
    if (line) lines.add(line)
  }
  return lines
}

const MAX_CALENDAR_CHARS = 256 * 1024
const LABELS: Record<string, string> = {
  REQUEST: 'Invitation',
  PUBLISH: 'Calendar event',
  CANCEL: 'Canceled',
  REPLY: 'Reply to an invitation',
  COUNTER: 'Proposed new time',
}
/** Describes a calendar part (RFC 5545): `Invitation: Dr. Weber, Tue 5 Aug 2025 14:30 (Europe/Berlin)`. */
export function describeCalendar(calendar: string): string | undefined {
  const lines = calendar
    .slice(0, MAX_CALENDAR_CHARS)
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  const start = lines.findIndex((line) => /^BEGIN:VEVENT\s*$/i.test(line))
  if (start < 0) return undefined
  const event = lines.slice(start)
  const summary = property(event, 'SUMMARY')?.value ?? 'no title'
  const when = describeTime(property(event, 'DTSTART'))
  const label = LABELS[property(lines, 'METHOD')?.value.toUpperCase() ?? ''] ?? 'Calendar event'
  return `${label}: ${unescapeText(summary)}${when ? `, ${when}` : ''}`
}

type Property = { value: string; zone?: string }

function property(lines: string[], name: string): Property | undefined {
  for (const line of lines) {
    const [, found, parameters = '', value = ''] =
      /^([A-Z-]+)((?:;[^:";]*(?:"[^"]*"[^:";]*)*)*):(.*)$/i.exec(line) ?? []
    if (found?.toUpperCase() === name) return { value: value.trim(), zone: /;TZID="?([^";:]+)/i.exec(parameters)?.[1] }
  }
  return undefined
}

function describeTime(start: Property | undefined): string | undefined {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z)?)?$/.exec(start?.value ?? '') ?? []
  if (!year) return undefined
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const weekday = date.toLocaleDateString('en-GB', { weekday: 'short', timeZone: 'UTC' })
  const named = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  if (!hour) return `${weekday} ${named}`
  const zone = utc ? 'UTC' : start?.zone
  return `${weekday} ${named} ${hour}:${minute}${zone ? ` (${zone})` : ''}`
}

function unescapeText(text: string): string {
  return text.replace(/\\([\\;,nN])/g, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? ' ' : escaped))
}
