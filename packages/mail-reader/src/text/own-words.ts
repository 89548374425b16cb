import { readNewText } from './new-text.ts'

/** The line above a signature (RFC 3676 section 4.3). Cleaning takes the space at its end. */
const SIGNATURE = /^--[ \t]?$/
/** What mail programs of phones write below a letter. */
const FROM_A_PHONE =
  /^(?:sent from my |sent from (?:outlook|yahoo|mail|gmail|proton)|get outlook for |sent via )[^\n]{0,60}$/i

/** What somebody wrote in answer to a mail: without what they quote, and without the signature below. Takes linear time. */
export function readOwnWords(text: string): string {
  const lines = (readNewText(text) ?? text).trim().split('\n')
  const end = lines.findIndex((line) => SIGNATURE.test(line))
  const own = end < 0 ? lines : lines.slice(0, end)
  while (own.length > 0 && isLeftOver(own.at(-1) ?? '')) own.pop()
  return own.join('\n').trim()
}

function isLeftOver(line: string): boolean {
  return line.trim() === '' || FROM_A_PHONE.test(line.trim())
}
