import { cut } from '@family-inbox/service-kit/text/cut'
import { charsetOfHtml, cutBytes, decodeCharset } from '../mime/charset.ts'
import { MAX_TEXT_PART_BYTES } from '../mime/limits.ts'
import { formatMailbox, readMessageFields } from '../mime/message-fields.ts'
import { isBodyText, isMessage, leaves, type MimePart } from '../mime/mime-part.ts'
import { decodeTransfer } from '../mime/transfer-encoding.ts'
import { type HtmlConverter, looksLikeHtml, withoutTags } from './html-text.ts'
import { isPlaceholder, saysAllOf } from './placeholder.ts'
import { isSealed, openArmor, SEALED } from './sealed.ts'

const SNIFFED_BYTES = 400
/** A longer plain part is a letter. */
const MAX_COMPARED_CHARS = 20_000

type BodyKind = 'plain' | 'html'
type BodyText = { kind: BodyKind; text: string }

export type Rendering = {
  prefer: BodyKind
  separator: string
  plain: (text: string) => string
  html: HtmlConverter
  remaining: number
  truncated: boolean
  hasHtml: boolean
  /** How many plain parts may still be compared with the HTML beside them. */
  comparisons: number
}

/** Shows one alternative, every text of a mixture, the readable part of a report, and forwarded messages. */
export function renderBody(part: MimePart, rendering: Rendering): string {
  if (isMessage(part)) return renderMessage(part, rendering)
  if (isSealed(part)) return rendering.plain(SEALED)
  if (part.type === 'multipart/alternative' && part.children.length > 0) return renderAlternative(part, rendering)
  if (part.type === 'multipart/report' && part.children.length > 0) return renderReport(part, rendering)
  if (part.children.length > 0) return renderAll(part.children, rendering)
  return isBodyText(part) ? renderText(part, rendering) : ''
}

/** Its first part is for people (RFC 6522 section 3). */
function renderReport({ children }: MimePart, rendering: Rendering): string {
  const [first, ...others] = children
  const text = first ? renderBody(first, rendering) : ''
  return text.trim() ? text : renderAll(others, rendering)
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
  const inOrder = rendering.prefer === 'html' ? preferred.toReversed() : preferred
  for (const child of [...inOrder, ...others]) {
    const before = stateOf(rendering)
    const rendered = renderBody(child, rendering)
    if (rendered.trim()) return renderReplacement(part, { child, rendered, before }, rendering) ?? rendered
    Object.assign(rendering, before)
  }
  return ''
}

type State = Pick<Rendering, 'remaining' | 'truncated' | 'hasHtml'>
type Chosen = { child: MimePart; rendered: string; before: State }

function stateOf({ remaining, truncated, hasHtml }: Rendering): State {
  return { remaining, truncated, hasHtml }
}

/** The HTML for which a plain part is only a placeholder; undefined if there is none. Nearly all mail needs no conversion. */
function renderReplacement(
  part: MimePart,
  { child, rendered, before }: Chosen,
  rendering: Rendering,
): string | undefined {
  if (rendering.prefer === 'html' || rendered.length > MAX_COMPARED_CHARS || rendering.comparisons === 0)
    return undefined
  const rich = part.children.findLast((other) => other !== child && holds(other, 'html'))
  if (rich === undefined) return undefined
  rendering.comparisons -= 1
  const renderWith = (convert: HtmlConverter) =>
    renderBody(rich, { ...rendering, ...before, prefer: 'html', html: convert })
  if (saysAllOf(rendered, renderWith(withoutTags))) return undefined
  if (
    !isPlaceholder(
      rendered,
      renderWith((markup) => rendering.html(markup, 'compare')),
    )
  )
    return undefined
  const plainState = stateOf(rendering)
  Object.assign(rendering, before)
  const replacement = renderBody(rich, rendering)
  if (replacement.trim()) return replacement
  Object.assign(rendering, plainState)
  return undefined
}

function renderMessage(part: MimePart, rendering: Rendering): string {
  const [message] = part.children
  if (!message) return ''
  const { from, sentAt, subject, to } = readMessageFields(message.fields, charsetOfText(message))
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
  const rendered = kind === 'html' ? rendering.html(text) : rendering.plain(openArmor(text))
  rendering.hasHtml ||= kind === 'html' && rendered.trim() !== ''
  if (rendered.length > rendering.remaining) rendering.truncated = true
  const kept = cut(rendered, rendering.remaining)
  rendering.remaining -= kept.length
  return kept
}

function holds(part: MimePart, kind: BodyKind): boolean {
  return leaves(part).some((leaf) => isBodyText(leaf) && bodyKind(leaf) === kind)
}

/** Some systems send HTML documents labeled text/plain. */
export function bodyKind(part: MimePart): BodyKind {
  if (part.type === 'text/html') return 'html'
  return looksLikeHtml(decodeTransfer(part.body.subarray(0, SNIFFED_BYTES), part.encoding).toString('latin1'))
    ? 'html'
    : 'plain'
}

function readBodyText(part: MimePart): BodyText {
  const encoded = part.body.subarray(0, MAX_TEXT_PART_BYTES)
  const bytes = decodeTransfer(encoded, part.encoding)
  const whole = encoded.length < part.body.length ? cutBytes(bytes, bytes.length - 1) : bytes
  const kind = bodyKind(part)
  const text = decodeCharset(whole, charsetOf(part, kind, whole))
  if (kind === 'html' || part.parameters.get('format')?.toLowerCase() !== 'flowed') return { kind, text }
  return { kind, text: joinFlowedLines(text, part.parameters.get('delsp')?.toLowerCase() === 'yes') }
}

/** The charset that the first text of a message names; undefined if it names none. */
export function charsetOfText(root: MimePart): string | undefined {
  const text = leaves(root).find(isBodyText)
  const label = text?.parameters.get('charset')
  if (text?.type !== 'text/html' || label) return label
  return charsetOf(text, 'html', decodeTransfer(text.body.subarray(0, SNIFFED_BYTES * 10), text.encoding))
}

/** HTML may name its charset itself. A label of ASCII is wrong where there is more. */
function charsetOf({ parameters }: MimePart, kind: BodyKind, bytes: Buffer): string | undefined {
  const label = parameters.get('charset')
  return kind === 'html' && (!label || /ascii|unknown/i.test(label)) ? (charsetOfHtml(bytes) ?? label) : label
}

/** Joins `format=flowed` lines (RFC 3676 4). With DelSp=yes, the space that marks a soft break is not text. */
export function joinFlowedLines(text: string, deleteSpace: boolean): string {
  const paragraphs: string[] = []
  const pieces: string[] = []
  let depth = -1
  for (const line of text.split(/\r?\n/)) {
    const { quote, content } = splitQuote(line)
    const soft = pieces.length > 0
    if (soft && (quote.length !== depth || content === '-- ')) paragraphs.push(pieces.splice(0).join('').trimEnd())
    if (pieces.length === 0 && quote) pieces.push(`${quote} `)
    depth = quote.length
    const flows = content.endsWith(' ') && content !== '-- '
    pieces.push(flows && deleteSpace ? content.slice(0, -1) : content)
    if (!flows) paragraphs.push(pieces.splice(0).join(''))
  }
  if (pieces.length > 0) paragraphs.push(pieces.join(''))
  return paragraphs.join('\n')
}

function splitQuote(line: string): { quote: string; content: string } {
  const quote = /^>*/.exec(line)?.[0] ?? ''
  const rest = line.slice(quote.length)
  return { quote, content: rest.startsWith(' ') ? rest.slice(1) : rest }
}
