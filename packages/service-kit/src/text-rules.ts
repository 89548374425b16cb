import { createRequire } from 'node:module'
import type validator from 'validator'
import { invalidArgument } from './status-error.ts'

// The library as a whole loads a hundred validators; this is the one that is needed, which it exports without types.
const isEmail = createRequire(import.meta.url)('validator/lib/isEmail') as typeof validator.isEmail

/** C0 and C1 controls, line separators, bidi marks, overrides and isolates, and characters that take no room. */
const UNFIT_FOR_A_LINE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/u

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * One line of text as a person typed it: trimmed, in Unicode's composed form (NFC).
 * @param max the most characters a person would count (graphemes)
 * @throws StatusError INVALID_ARGUMENT naming the field when empty, too long or holding characters that are not text
 */
export function requireLine(field: string, value: string, max: number): string {
  const line = value.trim().normalize('NFC')
  if (line === '') throw invalidArgument(field, `${field} is required.`)
  if (UNFIT_FOR_A_LINE.test(line)) throw invalidArgument(field, `${field} must be one line of plain text.`)
  if (countCharacters(line, max) > max) throw invalidArgument(field, `${field} must be at most ${max} characters.`)
  return line
}

/** Like requireLine, but may be left out: an empty value stays empty. */
export function optionalLine(field: string, value: string, max: number): string {
  return value.trim() === '' ? '' : requireLine(field, value, max)
}

/**
 * An email address in the form it is stored and compared in: trimmed, composed, in lower case.
 * @throws StatusError INVALID_ARGUMENT naming the field
 */
export function requireEmail(field: string, value: string): string {
  const email = value.trim().normalize('NFC')
  if (email.length > 254 || UNFIT_FOR_A_LINE.test(email) || !isEmail(email))
    throw invalidArgument(field, `${field} must be an email address, like ana@example.org.`)
  return email.toLowerCase()
}

/** Counts what a person would call characters, and stops soon after `max`. */
function countCharacters(text: string, max: number): number {
  let count = 0
  for (const _ of graphemes.segment(text.slice(0, max * 64))) {
    count += 1
    if (count > max) break
  }
  return text.length > max * 64 ? max + 1 : count
}
