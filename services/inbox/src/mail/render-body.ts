import { cut } from '@family-inbox/service-kit/text/cut'
import { type BodyKind, bodyKind, isBodyText, readBodyText } from './body-parts.ts'
import { formatMailbox, readMessageFields } from './message-fields.ts'
import { isMessage, leaves, type MimePart } from './mime-part.ts'

const MAX_PLACEHOLDER_CHARS = 500
/** The placeholder that some senders use as the plain text of an HTML mail. */
const PLACEHOLDER =
  /(?:n[o']t|cannot|unable to|non?|nicht|kein|pas)\b[^.!?]{0,80}\bhtml\b|\bhtml\b[^.!?]{0,80}\b(?:not (?:supported|enabled|displayed)|disabled|compatible|capable|enabled|viewer|reader|client|format|fähig|nicht)\b|\bview (?:this|the) (?:e-?mail|message|newsletter) (?:in|with|online|using)\b/iu

export type Rendering = {
  prefer: BodyKind
  separator: string
  plain: (text: string) => string
  html: (markup: string) => string
  /** Code units left. */
  remaining: number
  truncated: boolean
}

/**
 * Renders what a mail program would show: one alternative, every text of a mixture, the readable part of a report, and
 * forwarded messages below a header block.
 */
export function renderBody(part: MimePart, rendering: Rendering): string {
  if (isMessage(part)) return renderMessage(part, rendering)
  if (part.type === 'multipart/alternative') return renderAlternative(part, rendering)
  if (part.type === 'multipart/report') return part.children[0] ? renderBody(part.children[0], rendering) : ''
  if (part.children.length > 0) return renderAll(part.children, rendering)
  return isBodyText(part) ? renderText(part, rendering) : ''
}

function renderAll(parts: MimePart[], rendering: Rendering): string {
  const rendered = parts.map((part) => renderBody(part, rendering))
  return rendered.filter((text) => text.trim()).join(rendering.separator)
}

/** The preferred kind if it has content, else the last that does: senders put the richest last (RFC 2046 5.1.4). */
function renderAlternative(part: MimePart, rendering: Rendering): string {
  if (part.children.length === 1) return renderAll(part.children, rendering)
  const preferred = part.children.filter((child) => holds(child, rendering.prefer))
  const others = part.children.filter((child) => !preferred.includes(child)).toReversed()
  let excuse = ''
  for (const child of [...preferred, ...others]) {
    const { remaining } = rendering
    const rendered = renderBody(child, rendering)
    if (rendered.trim() && (holds(child, 'html') || !isPlaceholder(rendered))) return rendered
    excuse ||= rendered
    rendering.remaining = remaining
  }
  return excuse
}

function isPlaceholder(rendered: string): boolean {
  const text = rendered.trim()
  return text.length <= MAX_PLACEHOLDER_CHARS && PLACEHOLDER.test(text.replaceAll('’', "'"))
}

function renderMessage(part: MimePart, rendering: Rendering): string {
  const [message] = part.children
  if (!message) return ''
  const { from, sentAt, subject, to } = readMessageFields(message.fields)
  const lines = [
    '---------- Forwarded message ----------',
    `From: ${formatMailbox(from)}`,
    ...(sentAt ? [`Date: ${sentAt.toUTCString()}`] : []),
    `Subject: ${subject}`,
    ...(to.length > 0 ? [`To: ${to.map(formatMailbox).join(', ')}`] : []),
  ]
  return `${rendering.plain(lines.join('\n'))}${rendering.separator}${renderBody(message, rendering)}`
}

function renderText(part: MimePart, rendering: Rendering): string {
  if (rendering.remaining <= 0) rendering.truncated = true
  if (rendering.remaining <= 0) return ''
  const { kind, text } = readBodyText(part)
  const rendered = kind === 'html' ? rendering.html(text) : rendering.plain(text)
  if (rendered.length > rendering.remaining) rendering.truncated = true
  const kept = cut(rendered, rendering.remaining)
  rendering.remaining -= kept.length
  return kept
}

function holds(part: MimePart, kind: BodyKind): boolean {
  return leaves(part).some((leaf) => isBodyText(leaf) && bodyKind(leaf) === kind)
}
