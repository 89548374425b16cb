import { createRequire } from 'node:module'
import { domainToASCII, domainToUnicode } from 'node:url'
import type validator from 'validator'
import { invalidArgument } from './status-error.ts'

// `validator` as a whole loads a hundred validators. It exports this one without types.
const isEmail = createRequire(import.meta.url)('validator/lib/isEmail') as typeof validator.isEmail

/** C0 and C1 controls, line separators, bidi controls and invisible characters: fillers, selector runs and tag characters. */
const UNFIT_FOR_A_LINE =
  /[\p{Cc}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]|\u034f|\p{Variation_Selector}{2}/u
/** The flags of England, Scotland and Wales consist of tag characters (UTS #51 ED-14a). */
const FLAGS_OF_TAGS = /\p{RGI_Emoji_Tag_Sequence}/gv

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Reads a line of typed text: trimmed, NFC. @param max in graphemes @throws StatusError INVALID_ARGUMENT naming the field */
export function requireLine(field: string, value: string, max: number): string {
  const line = value.trim().normalize('NFC')
  if (line === '') throw invalidArgument(field, `${field} is required.`)
  if (!isFitForALine(line)) throw invalidArgument(field, `${field} must be one line of plain text.`)
  if (countCharacters(line, max) > max) throw invalidArgument(field, `${field} must be at most ${max} characters.`)
  return line
}

export function optionalLine(field: string, value: string, max: number): string {
  return value.trim() === '' ? '' : requireLine(field, value, max)
}

/** Quoted local parts (`"a b"@example.org`) and what looks like an encoded word (RFC 2047). */
const STRANGE_MAILBOX = /^"|=\?/

/** An email address in lower case, its domain in Unicode (RFC 5890). @throws StatusError INVALID_ARGUMENT also for unusual addresses */
export function requireEmail(field: string, value: string): string {
  const written = value.trim().normalize('NFC')
  if (isMailbox(written)) return foldEmail(written)
  throw invalidArgument(field, `${field} must be an email address, like ana@example.org.`)
}

function isMailbox(written: string): boolean {
  const isPlain = written.length <= 254 && isFitForALine(written) && !STRANGE_MAILBOX.test(written)
  return isPlain && isEmail(written) && domainToASCII(domainOf(written)) !== ''
}

/** The common form of all spellings of an address. Stable for text that is not an address. */
export function foldEmail(value: string): string {
  const written = value.trim().normalize('NFC').toLowerCase()
  const domain = domainOf(written)
  const ascii = domainToASCII(domain)
  return ascii === '' ? written : written.slice(0, -domain.length) + domainToUnicode(ascii)
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}

function isFitForALine(line: string): boolean {
  return !UNFIT_FOR_A_LINE.test(line.replace(FLAGS_OF_TAGS, ''))
}

function countCharacters(text: string, max: number): number {
  let count = 0
  for (const _ of graphemes.segment(text.slice(0, max * 64))) {
    count += 1
    if (count > max) break
  }
  return text.length > max * 64 ? max + 1 : count
}
