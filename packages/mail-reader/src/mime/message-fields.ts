import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { cut } from '@family-inbox/service-kit/text/cut'
import { addressParser, decodeWords } from 'postal-mime'
import { fieldText, type HeaderField, rawField } from './header-fields.ts'
import { MAX_ADDRESSES, MAX_REFERENCES, MAX_SUBJECT_CHARS } from './limits.ts'

const MAX_LIST_CHARS = 4 * 1024
const MAX_GROUPS = 20
const MAX_REPLY_TO = 5
const MAX_NAME_CHARS = 200
const MAX_ADDRESS_CHARS = 320
const MAX_ID_CHARS = 500
const MAX_DATE_CHARS = 100

export type Mailbox = { name: string; address: string }

/** Others that the same field names are tried in turn when a reply cannot go to the first. */
export type ReplyTo = Mailbox & { others?: Mailbox[] }

export type MessageFields = {
  /** The Message-ID with angle brackets, as In-Reply-To needs it. */
  messageId?: string
  inReplyTo?: string
  references: string[]
  subject: string
  /** Both empty if the mail names no sender. */
  from: Mailbox
  replyTo?: ReplyTo
  /**
   * The author by X-Original-From, which anyone can add: the author behind a mailing list that replaced From because of the
   * author's DMARC policy.
   */
  listAuthor?: Mailbox
  to: Mailbox[]
  sentAt?: Date
  /** Number of Received fields, to stop loops (RFC 5321 6.3). */
  receivedHops: number
}

/** @param charset of the letter: programs that write 8 bits into a header field use the same */
export function readMessageFields(fields: HeaderField[], charset?: string): MessageFields {
  const [messageId] = readIds(fields, 'message-id')
  const [inReplyTo] = readIds(fields, 'in-reply-to')
  return {
    messageId,
    inReplyTo,
    references: readIds(fields, 'references').slice(-MAX_REFERENCES),
    subject: readSubject(fields, charset),
    from: readFrom(fields, charset),
    replyTo: readReplyTo(fields, charset),
    listAuthor: readMailboxes(fields, 'x-original-from', charset).find(hasAddress),
    to: readMailboxes(fields, 'to', charset),
    sentAt: readDate(fieldText(fields, 'date')),
    receivedHops: fields.filter((field) => field.name === 'received').length,
  }
}

export function readFrom(fields: HeaderField[], charset?: string): Mailbox {
  const senders = ['from', 'sender', 'return-path'].flatMap((name) => readMailboxes(fields, name, charset))
  return senders.find(hasAddress) ?? senders[0] ?? { name: '', address: '' }
}

function readReplyTo(fields: HeaderField[], charset?: string): ReplyTo | undefined {
  const [first, ...others] = readMailboxes(fields, 'reply-to', charset).filter(hasAddress).slice(0, MAX_REPLY_TO)
  return first && { ...first, ...(others.length > 0 && { others }) }
}

export function readSubject(fields: HeaderField[], charset?: string): string {
  return cut(cleanLine(decodeWords(fieldText(fields, 'subject', charset) ?? '')), MAX_SUBJECT_CHARS)
}

/** Reads addresses from any text; only the start of a very long list. */
export function parseMailboxes(text: string): Mailbox[] {
  const list = text.length > MAX_LIST_CHARS ? text.slice(0, text.lastIndexOf(',', MAX_LIST_CHARS)) : text
  if (list.split(':').length > MAX_GROUPS) return [] // groups do not nest (RFC 5322 3.4), but the parser would recurse
  const mailboxes = addressParser(list).flatMap((address) => (address.group ? address.group : [address]))
  return joinNames(
    mailboxes.slice(0, MAX_ADDRESSES).map(({ name, address }) => ({
      name: cut(cleanLine(name), MAX_NAME_CHARS),
      address: readAddress(address),
    })),
  )
}

/** `Weber, Anna <anna@clinic.example>` is one mailbox: a name without an address begins the next one. */
function joinNames(mailboxes: Mailbox[]): Mailbox[] {
  const joined: Mailbox[] = []
  let begun: string[] = []
  for (const { name, address } of mailboxes) {
    if (address === '' && name !== '') begun.push(name)
    else {
      joined.push({ name: name === '' ? '' : cut([...begun, name].join(', '), MAX_NAME_CHARS), address })
      begun = []
    }
  }
  return [...joined, ...begun.map((name) => ({ name, address: '' }))]
}

export function formatMailbox({ name, address }: Mailbox): string {
  if (!name) return address
  return address ? `${name} <${address}>` : name
}

export function hasAddress(mailbox: Mailbox): boolean {
  return mailbox.address !== ''
}

function readMailboxes(fields: HeaderField[], name: string, charset?: string): Mailbox[] {
  return parseMailboxes(fieldText(fields, name, charset) ?? '')
}

/** Empty unless it is a usable address: other text must not look like one. */
function readAddress(text: string): string {
  const address = cleanLine(text)
  return address.length <= MAX_ADDRESS_CHARS && /^[^\s@<>]+@[^\s@<>]+$/.test(address) ? address : ''
}

function readIds(fields: HeaderField[], name: string): string[] {
  const text = cleanLine(fieldText(fields, name) ?? '')
  const ids = text.match(/<[^<>\s]+>/g) ?? text.match(/^[^<>\s]+$/g) ?? []
  return ids.filter((id) => id.length <= MAX_ID_CHARS)
}

function readDate(text: string | undefined): Date | undefined {
  const date = new Date(
    (text ?? '')
      .slice(0, MAX_DATE_CHARS)
      .replace(/\([^()]*\)/g, ' ')
      .trim(),
  )
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1970 || date.getUTCFullYear() > 9999 ? undefined : date
}

/** The Auto-Submitted keyword in lower case, such as `auto-replied` (RFC 3834 5). */
export function autoSubmittedKeyword(fields: HeaderField[]): string | undefined {
  return /^[a-z-]+/.exec(rawField(fields, 'auto-submitted')?.toLowerCase() ?? '')?.[0]
}

/** RFC 3834, RFC 2919, a report, or `MAIL FROM:<>`. Not X-Auto-Response-Suppress: people’s mail carries it, too. */
export function isAutomated(fields: HeaderField[], nullReturnPath = false): boolean {
  const keyword = autoSubmittedKeyword(fields)
  if (keyword !== undefined && keyword !== 'no') return true
  if (/^(?:bulk|list|junk|auto_reply)\b/i.test(rawField(fields, 'precedence') ?? '')) return true
  if (rawField(fields, 'list-id') !== undefined) return true
  if (/^multipart\/report\b/i.test(rawField(fields, 'content-type') ?? '')) return true
  return nullReturnPath || /^<\s*>$/.test(rawField(fields, 'return-path') ?? '')
}
