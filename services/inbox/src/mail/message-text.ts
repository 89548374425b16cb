import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { PREVIEW_CHARACTERS } from '@family-inbox/workspace-kit/tool-catalogue'
import { bodyKind, isBodyText } from './body-parts.ts'
import { describeCalendar } from './calendar-text.ts'
import { decodeCharset } from './charset.ts'
import type { HtmlConverter } from './html-text.ts'
import { MAX_HTML_CHARS, MAX_TEXT_CHARS, MAX_TEXT_PART_BYTES } from './limits.ts'
import { leaves, type MimePart } from './mime-part.ts'
import { type Rendering, renderBody } from './render-body.ts'
import { decodeTransfer } from './transfer-encoding.ts'

const MAX_EVENTS = 20

export type ComposedText = { text: string; truncated: boolean }

/**
 * Composes the plain text of a mail, with a line for each calendar event.
 * @returns undefined if HTML must be converted and there is no converter
 */
export function composeText(root: MimePart, convert: HtmlConverter): ComposedText
export function composeText(root: MimePart, convert?: HtmlConverter): ComposedText | undefined
export function composeText(root: MimePart, convert?: HtmlConverter): ComposedText | undefined {
  let incomplete = false
  const skip = () => {
    incomplete = true
    return ''
  }
  const rendering: Rendering = {
    prefer: 'plain',
    separator: '\n\n',
    plain: (text) => text,
    html: convert ?? skip,
    remaining: MAX_TEXT_CHARS * 2, // cleaning shortens the text
    truncated: false,
  }
  const body = renderBody(root, rendering)
  if (incomplete) return undefined
  const text = cleanText([body, ...calendarLines(root)].join('\n\n'))
  return {
    text: cut(text, MAX_TEXT_CHARS).trimEnd(),
    truncated: rendering.truncated || text.length > MAX_TEXT_CHARS,
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
  })
}

/** The first 280 characters on one line. */
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

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
