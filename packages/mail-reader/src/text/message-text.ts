import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { escapeHtml } from '@family-inbox/service-kit/text/escape-html'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { calendarText } from '../calendar/calendar-text.ts'
import { describeCalendar } from '../calendar/describe-calendar.ts'
import { MAX_COMPARISONS, MAX_HTML_CHARS, MAX_TEXT_CHARS } from '../mime/limits.ts'
import { isBodyText, leaves, type MimePart } from '../mime/mime-part.ts'
import { decodeTransfer } from '../mime/transfer-encoding.ts'
import type { HtmlConverter } from './html-text.ts'
import { bodyKind, type Rendering, renderBody } from './render-body.ts'

const MAX_EVENTS = 20
const MAX_CALENDAR_BYTES = 256 * 1024

export type ComposedText = {
  text: string
  truncated: boolean
  /** Converted from HTML, because there was no plain text or only a placeholder. */
  isConverted: boolean
}

/** Plain text; of mail without one, a line for each calendar event. Undefined if HTML must be converted and there is no converter. */
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
  // Pages show the event itself, in the time zone of the reader.
  const text = cleanText(body.trim() === '' ? [...calendarLines(root)].join('\n\n') : body)
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

const REQUESTS = /^(?:request|cancel|add|counter|declinecounter)$/i
const MAX_METHOD_BYTES = 16 * 1024

/** Whether the part asks for a visit, moves or cancels one (RFC 5546 section 1.4). */
export function isCalendarRequest(part: MimePart): boolean {
  const named = part.parameters.get('method')
  if (named !== undefined) return REQUESTS.test(named)
  const start = decodeTransfer(part.body.subarray(0, MAX_METHOD_BYTES), part.encoding).toString('latin1')
  return REQUESTS.test(/^\s{0,20}METHOD:[ \t]*([A-Z]{1,20})/im.exec(start)?.[1] ?? '')
}

function calendarLines(root: MimePart): Set<string> {
  const lines = new Set<string>()
  for (const part of leaves(root).filter(isCalendar).slice(0, MAX_EVENTS)) {
    const bytes = decodeTransfer(part.body.subarray(0, MAX_CALENDAR_BYTES), part.encoding)
    const text = calendarText(bytes, part.parameters.get('charset'))
    const line = describeCalendar(text, part.parameters.get('method'))
    if (line) lines.add(line)
  }
  return lines
}
