import { fieldText, type HeaderField, readHeaderFields } from './header-fields.ts'
import { parseMailboxes } from './message-fields.ts'

/** What a header says without doubt; empty where it repeats a field or names several mailboxes. */
export type PlainHeader = {
  /** The address of the only mailbox in the only From. */
  author: string
  /** The same in To. */
  to: string
  /** As it is written. */
  date: string
}

/**
 * Who wrote a mail, to whom alone, and when. A signature covers the last of repeated fields and a reader may see the first, so a
 * field that is repeated says nothing (RFC 6376 section 8.15). Takes linear time.
 */
export function readPlainHeader(raw: Uint8Array): PlainHeader {
  const { fields } = readHeaderFields(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), 0, () => false)
  return {
    author: onlyMailbox(onlyField(fields, 'from')),
    to: onlyMailbox(onlyField(fields, 'to')),
    date: onlyField(fields, 'date'),
  }
}

function onlyField(fields: HeaderField[], name: string): string {
  const named = fields.filter((field) => field.name === name)
  return (named.length === 1 && fieldText(named, name)) || ''
}

function onlyMailbox(value: string): string {
  const [first, ...others] = parseMailboxes(value)
  return others.length === 0 ? (first?.address ?? '') : ''
}
