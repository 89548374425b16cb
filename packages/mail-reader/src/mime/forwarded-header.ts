import { type FieldKind, KINDS, SAYS_FORWARD, SAYS_ORIGINAL } from './forward-words.ts'
import type { Mailbox } from './message-fields.ts'
import {
  attributedTo,
  DATE_LIKE,
  endsInColon,
  MAX_LINE_CHARS,
  readSender,
  startsWithAddress,
} from './written-sender.ts'

const MAX_TEXT = 64 * 1024
const MAX_FIELDS = 12
/** Lines of a wrapped value, or blank ones, between two fields. */
const MAX_GAP = 3

const RULE = /^[-_=*\s]{3,}$/
const FRAMED = /^[-_=*]{2,} ?[^-_=*\s]/
const NAME = /^[\p{L}\p{M}][\p{L}\p{M} .'’()/-]*$/u
const QUOTED = /^\s{0,3}>/

export type ForwardedHeader = {
  /** Absent if the header names nobody with an address. */
  sender?: Mailbox
  isAnnounced: boolean
  isQuoted: boolean
  /** Lines of the text from what announces it to its last field; the end is exclusive. */
  start: number
  end: number
}

type Field = { kind?: FieldKind; value: string; line: number }
/** `text` is without the marks of quotes. */
type Line = { text: string; isQuoted: boolean; field: Field | undefined }

/**
 * Finds the header that a mail program writes above what it forwards: lines of `name: value` with an address and a date or a
 * subject, in any language. Takes linear time and reads at most 64 KB.
 * @param isForward whether the subject says so: then unknown names, and a line such as “On … wrote:”, count as a header, too
 */
export function findForwardedHeader(text: string, isForward: boolean): ForwardedHeader | undefined {
  const lines = text.slice(0, MAX_TEXT).split('\n').map(readLine)
  for (const [index, line] of lines.entries()) {
    const found = runOnHeader(line, index) ?? blockAt(lines, index, isForward)
    if (found) return found
    const attributed = isForward ? attribution(lines, index) : undefined
    if (attributed) return attributed
  }
  return undefined
}

function readLine(line: string, index: number): Line {
  const text = bare(line)
  return { text, isQuoted: QUOTED.test(line), field: fieldOf(text, index) }
}

/** The text without the header, for a preview: what the forwarder wrote, then what was forwarded. */
export function withoutHeader(text: string, { start, end }: ForwardedHeader): string {
  const lines = text.split('\n')
  return [...lines.slice(0, start), ...lines.slice(end).map(bare)].join('\n').trim()
}

/** Yahoo writes everything in a line: `----- Forwarded Message ----- From: Name <address>To: …`. */
function runOnHeader({ text, isQuoted }: Line, index: number): ForwardedHeader | undefined {
  if (!text.startsWith('---') || !text.includes('@')) return undefined
  const [, , ...behind] = text.slice(0, MAX_LINE_CHARS).split(/-{3,}/)
  const field = fieldOf(behind.join('---').trim(), index)
  if (field === undefined || (field.kind !== undefined && field.kind !== 'from')) return undefined
  const close = field.value.search(/[>\]]/)
  const sender = readSender(close < 0 ? field.value : field.value.slice(0, close + 1))
  const isAnnounced = SAYS_FORWARD.test(text.slice(0, MAX_LINE_CHARS))
  return sender && { sender, isAnnounced, isQuoted, start: index, end: index + 1 }
}

function blockAt(lines: Line[], index: number, isForward: boolean): ForwardedHeader | undefined {
  const first = lines[index]?.field
  if (first === undefined || first.value === '') return undefined
  const fields = fieldsFrom(lines, first)
  if (!fields.some(({ kind, value }) => kind === 'from' || value.includes('@'))) return undefined
  const announcement = findAnnouncement(lines, index)
  const sender = senderOf(lines, fields, isForward || announcement !== undefined)
  if (!isHeader(fields, sender !== undefined, announcement, isForward)) return undefined
  const start = announcement?.line ?? index
  return {
    ...(sender && sender !== 'nobody' && { sender }),
    isAnnounced: announcement?.says === 'forward',
    isQuoted: [index, start].every((line) => lines[line]?.isQuoted),
    start,
    end: endOf(lines, fields.at(-1)?.line ?? index),
  }
}

/** The value of the last field may go on for a line or two. */
function endOf(lines: Line[], last: number): number {
  let end = last + 1
  while (end - last <= MAX_GAP && startsWithAddress(lines[end]?.text ?? '')) end += 1
  return end
}

/** Fields that follow each other, with wrapped values and single blank lines between known ones. */
function fieldsFrom(lines: Line[], first: Field): Field[] {
  const fields = [first]
  let gap = 0
  for (let index = first.line + 1; index < lines.length && fields.length < MAX_FIELDS && gap <= MAX_GAP; index += 1) {
    const field = lines[index]?.field
    if (field && (gap === 0 || field.kind !== undefined)) {
      // A second sender or subject belongs to the text below.
      if (field.kind && field.kind !== 'to' && field.kind !== 'cc' && fields.some(({ kind }) => kind === field.kind))
        break
      fields.push(field)
      gap = 0
    } else gap += 1
  }
  return fields
}

function senderOf(lines: Line[], fields: Field[], isLikely: boolean): Mailbox | 'nobody' | undefined {
  const named = fields.find(({ kind }) => kind === 'from')
  if (named) return readSender(wholeValue(lines, named)) ?? 'nobody'
  if (!isLikely) return undefined
  // In an unknown language: the first field, or the one after a subject and a date with another address behind it.
  const position = fields.findIndex(({ kind, value }) => kind === undefined && value.includes('@'))
  const isThird = position === 2 && fields.slice(0, 2).some(isDate) && (fields[3]?.value.includes('@') ?? false)
  const unknown = position === 0 || isThird ? fields[position] : undefined
  return unknown && readSender(unknown.value)
}

/** Some programs put the address below the name. */
function wholeValue(lines: Line[], { value, line }: Field): string {
  const next = lines[line + 1]?.text ?? ''
  return !value.includes('@') && startsWithAddress(next) ? `${value} ${next}` : value
}

function isHeader(
  fields: Field[],
  hasSender: boolean,
  announcement: Announcement | undefined,
  isForward: boolean,
): boolean {
  if (!hasSender) return false
  const [isNamed, dates] = [fields.some(({ kind }) => kind === 'from'), fields.filter(isDate).length]
  const known = fields.filter(({ kind }) => kind !== undefined).length
  if (announcement?.says !== undefined) return isNamed || fields.length >= 2
  if (isNamed && fields.some(({ kind }) => kind === 'date') && known >= 2) return true
  if (isNamed && (isForward || announcement !== undefined)) return known >= 2
  return (isForward || announcement !== undefined) && fields.length >= 3 && dates > 0
}

function isDate({ kind, value }: Field): boolean {
  return kind === 'date' || (!value.includes('@') && DATE_LIKE.test(value.slice(0, MAX_LINE_CHARS)))
}

type Announcement = { line: number; says?: 'forward' | 'original' }

/** The line above, or above a few blank ones: words that say so, a rule, or a frame. */
function findAnnouncement(lines: Line[], index: number): Announcement | undefined {
  for (let line = index - 1; line >= 0 && line >= index - MAX_GAP; line -= 1) {
    const text = (lines[line]?.text ?? '').slice(0, MAX_LINE_CHARS)
    if (text === '') continue
    const isRule = RULE.test(text)
    if (!isRule && !FRAMED.test(text) && !endsInColon(text) && !isBareMarker(text)) return undefined
    const says = SAYS_FORWARD.test(text) ? 'forward' : SAYS_ORIGINAL.test(text) ? 'original' : undefined
    return { line, ...(says && { says }) }
  }
  return undefined
}

/** Words alone, as in HTML without its rules. */
function isBareMarker(text: string): boolean {
  return text.length < 60 && (SAYS_FORWARD.test(text) || SAYS_ORIGINAL.test(text))
}

/** Outlook for Mac forwards with the line of an answer: a date and one address before a colon. */
function attribution(lines: Line[], index: number): ForwardedHeader | undefined {
  const [one, two] = [lines[index]?.text ?? '', lines[index + 1]?.text ?? '']
  if (lines[index]?.isQuoted || one === '' || !(endsInColon(one) || endsInColon(two))) return undefined
  for (const [text, end] of [[one, index + 1] as const, [`${one} ${two}`, index + 2] as const]) {
    const sender = attributedTo(text)
    if (sender) return { sender, isAnnounced: false, isQuoted: false, start: index, end }
  }
  return undefined
}

/** @param text a line without its marks of quotes */
function fieldOf(text: string, line: number): Field | undefined {
  const colon = text.slice(0, 40).search(/[:：]/)
  if (colon < 1) return undefined
  const name = text.slice(0, colon).replaceAll('*', '').trim()
  if (!NAME.test(name) || name.split(' ').length > 4) return undefined
  const value = text.slice(colon + 1, colon + 1 + MAX_LINE_CHARS).replace(/^[*\s]+/, '')
  const kind = KINDS.get(name.normalize('NFC').toLowerCase()) as FieldKind | undefined
  return { ...(kind && { kind }), value, line }
}

/** Without the marks of quotes, of bold text and the space around. */
function bare(line: string): string {
  return line.replace(/^[\s>*|\ufeff]+/, '').trimEnd()
}
