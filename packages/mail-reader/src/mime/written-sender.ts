import { trimEndOf, trimOf } from '@family-inbox/service-kit/text/trim'
import { hasAddress, type Mailbox, parseMailboxes } from './message-fields.ts'

/** In a run-on header, a name and an address. */
const MAX_SENDER_CHARS = 300

export const MAX_LINE_CHARS = 500

/** A date in any language: a day and a time, or a year. */
export const DATE_LIKE = /\d{1,2}[:.h]\d\d|(?:19|20)\d\d|[年년]/

export function attributedTo(text: string): Mailbox | undefined {
  if (text.length > MAX_LINE_CHARS || !endsInColon(text) || !DATE_LIKE.test(text) || !/[<[(]/.test(text))
    return undefined
  const [address, ...others] = new Set(addressesIn(text))
  if (address === undefined || others.length > 0) return undefined
  const [before = ''] = text.split(/[<[(]/, 1)
  const [name = ''] = before.includes('"') || /[“”„«»]/.test(before) ? before.split(/["“”„«»]/).slice(-2) : []
  return parseMailboxes(`"${name.trim()}" <${address}>`).find(hasAddress)
}

/** `Name [mailto:a@b.c]`, `Name (mailto:a@b.c)` and `*Name* <a@b.c (mailto:a@b.c)>` become `Name <a@b.c>`. */
export function readSender(text: string): Mailbox | undefined {
  const value = text.slice(0, MAX_SENDER_CHARS)
  const [address] = addressesIn(value)
  if (address === undefined) return undefined
  const [before = ''] = value.split(/[<[(]/, 1)
  const name = trimOf(before.replaceAll(/[*"„“”«»]/g, ''), " '")
  return parseMailboxes(`"${name.includes('@') ? '' : name}" <${address}>`).find(hasAddress)
}

export function addressesIn(text: string): string[] {
  const words = text.replaceAll('mailto:', ' ').split(/[\s<>()[\]:;,"]+/)
  return words.filter((word) => /.@./.test(word)).map((word) => trimOf(word, ".,'"))
}

export function endsInColon(text: string): boolean {
  return /[:：]$/.test(trimEndOf(text, '* '))
}

/** On a line of its own, where a value was wrapped. */
export function startsWithAddress(text: string): boolean {
  const [word = ''] = text.slice(0, MAX_SENDER_CHARS).split(/\s/, 1)
  return word.includes('@') && !/[:：]$/.test(word) && /^[<[("']|^[^@]+@[^@]+[>\]),;]?$/.test(word)
}
