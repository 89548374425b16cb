import { type HeaderField, rawField } from './header-fields.ts'
import { hasAddress, type Mailbox, parseMailboxes, type ReplyTo, readMessageFields } from './message-fields.ts'
import { isMessage, type MimePart } from './mime-part.ts'

const MAX_TEXT = 64 * 1024
const MAX_HEADER_LINES = 12
const MAX_LINE_CHARS = 500
const FORWARDER_FIELDS = ['resent-from', 'x-forwarded-for', 'x-forwarded-to']

/** How mail programs announce a forward, in the languages of category.ts. If quoted, it was an earlier forward. */
const FORWARD_MARKER =
  /^[ *_-]*(?:begin forwarded message|forwarded message|original message|weitergeleitete nachricht|anfang der weitergeleiteten nachricht|ursprüngliche nachricht|message transféré|début du (?:message|e-mail) transféré|message d'origine|mensaje reenviado|inicio del mensaje reenviado|mensaje original)[ :*_-]*$/iu
/** Replies quote an "original message" too, but not these. */
const SAYS_FORWARDED = /forward|weitergeleitet|transféré|reenviado/iu
const FROM_LINE = /^[ >*]*(?:from|von|de|expéditeur) ?\*?:\*?\s*(\S.*)$/iu
const SENT_LINE = /^[ >*]*(?:sent|date|gesendet|datum|envoyé|enviado(?: el)?|fecha) ?\*?:/iu
const REPLY_SUBJECT = /^\s*(?:re|aw|antw|sv|odp|ref)(?:\[\d+\])?\s*:/iu

type ForwardedOriginal = { originalSender?: Mailbox; originalReplyTo?: ReplyTo }

/** Finds the author of a forward: attached, resent, or quoted below the header block that mail programs write. */
export function findForwardedOriginal(root: MimePart, subject: string, text: string): ForwardedOriginal {
  return resentOriginal(root.fields) ?? attachedOriginal(root) ?? quotedOriginal(subject, text.slice(0, MAX_TEXT))
}

/** Mail resent unchanged is still from its author (RFC 5322 3.6.6). */
function resentOriginal(fields: HeaderField[]): ForwardedOriginal | undefined {
  return FORWARDER_FIELDS.some((name) => rawField(fields, name)?.includes('@')) ? originalOf(fields) : undefined
}

function attachedOriginal(root: MimePart): ForwardedOriginal | undefined {
  if (root.type === 'multipart/report') return undefined
  const message = [root, ...root.children].find(isMessage)?.children[0]
  return message && originalOf(message.fields)
}

function originalOf(fields: HeaderField[]): ForwardedOriginal | undefined {
  const { from, replyTo } = readMessageFields(fields)
  return hasAddress(from) ? { originalSender: from, originalReplyTo: replyTo } : undefined
}

function quotedOriginal(subject: string, text: string): ForwardedOriginal {
  return { originalSender: quotedSender(subject, text) }
}

function quotedSender(subject: string, text: string): Mailbox | undefined {
  const lines = text.split('\n')
  const marker = lines.findIndex((line) => FORWARD_MARKER.test(line))
  if (REPLY_SUBJECT.test(subject) && !SAYS_FORWARDED.test(lines[marker] ?? '')) return undefined
  return marker >= 0 ? senderOfBlock(lines.slice(marker + 1)) : senderOfBareBlock(lines)
}

/** Outlook forwards without a marker: From and Sent are adjacent header lines. */
function senderOfBareBlock(lines: string[]): Mailbox | undefined {
  const from = lines.findIndex(
    (line, index) => FROM_LINE.test(line) && lines.slice(index + 1, index + 4).some((next) => SENT_LINE.test(next)),
  )
  return from < 0 ? undefined : senderOfBlock(lines.slice(from))
}

function senderOfBlock(lines: string[]): Mailbox | undefined {
  for (const line of lines.slice(0, MAX_HEADER_LINES)) {
    const value = FROM_LINE.exec(line)?.[1]
    if (value) return parseMailboxes(withPlainAddress(value.slice(0, MAX_LINE_CHARS))).find(hasAddress)
  }
  return undefined
}

/** `Name [mailto:a@b.c]`, `Name (mailto:a@b.c)` and `*Name* <a@b.c (mailto:a@b.c)>` become `Name <a@b.c>`. */
function withPlainAddress(value: string): string {
  const words = value.replaceAll('mailto:', ' ').split(/[\s<>()[\]:"]+/)
  const address = words.find((word) => /.@./.test(word))
  const [before = ''] = value.split(/[<[(]/, 1)
  const name = before.replaceAll(/[*"]/g, '').trim()
  return address ? `"${name.includes('@') ? '' : name}" <${address}>` : ''
}
