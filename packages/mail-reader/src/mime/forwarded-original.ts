import { type ForwardedHeader, findForwardedHeader, withoutHeader } from './forwarded-header.ts'
import { type HeaderField, rawField } from './header-fields.ts'
import { hasAddress, type Mailbox, type ReplyTo, readMessageFields } from './message-fields.ts'
import { isMessage, type MimePart } from './mime-part.ts'
import { forwardPrefix } from './subject-prefix.ts'

const FORWARDER_FIELDS = ['resent-from', 'x-forwarded-for', 'x-forwarded-to']
const REPLY_SUBJECT = /^\s*(?:re|aw|antw|sv|odp|ref)(?:\[\d+\])?\s*:/iu

export type ForwardedOriginal = {
  originalSender?: Mailbox
  originalReplyTo?: ReplyTo
  /** Forwarded by hand, as its subject or its text says, or as a file. The author may be unknown. */
  forwarded?: true
}

/**
 * Finds the author of a forward: attached, resent, or quoted below the header block that mail programs write.
 * @returns also the text without that block, for a preview
 */
export function readForward(
  root: MimePart,
  subject: string,
  text: string,
): { original: ForwardedOriginal; news: string } {
  const header = quotedHeader(subject, text)
  return {
    original: resentOriginal(root.fields) ?? forwardedOriginal(root, subject, header),
    news: (header && withoutHeader(text, header)) || text,
  }
}

function forwardedOriginal(root: MimePart, subject: string, header: ForwardedHeader | undefined): ForwardedOriginal {
  const message = attachedMessage(root)
  const attached = message && originalOf(message.fields)
  const isForwarded = message !== undefined || header !== undefined || forwardPrefix(subject) !== ''
  const quoted = header?.sender && { originalSender: header.sender }
  return { ...(attached ?? quoted), ...(isForwarded && { forwarded: true }) }
}

/** Mail resent unchanged is still from its author (RFC 5322 3.6.6). */
function resentOriginal(fields: HeaderField[]): ForwardedOriginal | undefined {
  return FORWARDER_FIELDS.some((name) => rawField(fields, name)?.includes('@')) ? originalOf(fields) : undefined
}

function attachedMessage(root: MimePart): MimePart | undefined {
  return root.type === 'multipart/report' ? undefined : [root, ...root.children].find(isMessage)?.children[0]
}

function originalOf(fields: HeaderField[]): ForwardedOriginal | undefined {
  const { from, replyTo } = readMessageFields(fields)
  return hasAddress(from) ? { originalSender: from, originalReplyTo: replyTo } : undefined
}

/** An answer quotes what it answers: there, only words that say it is a forward count, and not inside the quote. */
function quotedHeader(subject: string, text: string): ForwardedHeader | undefined {
  const header = findForwardedHeader(text, forwardPrefix(subject) !== '')
  if (header && REPLY_SUBJECT.test(subject) && (!header.isAnnounced || header.isQuoted)) return undefined
  return header
}
