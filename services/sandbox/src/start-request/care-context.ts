import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'

const MAX_CHARACTERS = 2000
/** The longest run of combining marks in real writing. */
const UNITS_PER_CHARACTER = 64

/** Controls except tab and line feed, and direction overrides. */
const NOT_TEXT = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Normalizes free text: line ends, Unicode NFC, trimmed.
 * @throws StatusError INVALID_ARGUMENT above 2000 characters as a person counts them, or for control characters
 */
export function readCareContext(value: string): string {
  const text = value
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .normalize('NFC')
    .trim()
  if (NOT_TEXT.test(text)) throw invalidArgument('careContext', 'careContext must be plain text.')
  if (isTooLong(text)) throw invalidArgument('careContext', `careContext must be at most ${MAX_CHARACTERS} characters.`)
  return text
}

function isTooLong(text: string): boolean {
  if (text.length <= MAX_CHARACTERS) return false
  if (text.length > MAX_CHARACTERS * UNITS_PER_CHARACTER) return true
  let count = 0
  for (const _ of graphemes.segment(text)) {
    count += 1
    if (count > MAX_CHARACTERS) return true
  }
  return false
}
