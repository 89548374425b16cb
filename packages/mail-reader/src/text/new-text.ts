import { findForwardedHeader } from '../mime/forwarded-header.ts'
import { DATE_LIKE, endsInColon, MAX_LINE_CHARS } from '../mime/written-sender.ts'

const QUOTED = /^\s{0,3}>/
/** Lines of a wrapped “On … wrote:” above what it quotes. */
const MAX_ATTRIBUTION_LINES = 3

/**
 * A letter without what it quotes from earlier mail: lines that begin with `>`, the line that says who wrote them, and all from the
 * header that a program writes above an answered mail. A forwarded mail is no quote. Takes linear time.
 * @returns undefined if it quotes nothing
 */
export function readNewText(text: string): string | undefined {
  const lines = text.split('\n')
  const end = startOfAnswered(text) ?? lines.length
  const quoted = new Set(lines.flatMap((line, index) => (QUOTED.test(line) ? index : [])))
  if (end === lines.length && quoted.size === 0) return undefined
  for (const index of quoted)
    if (!quoted.has(index - 1)) for (const line of attributionAbove(lines, index)) quoted.add(line)
  return lines
    .filter((_, index) => index < end && !quoted.has(index))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/**
 * Where a letter ends and only quotes earlier mail.
 * @returns in UTF-16 code units; undefined if it quotes nothing below its own words, or answers between quoted lines
 */
export function quoteStart(text: string): number | undefined {
  const added = readNewText(text)
  const start = text.length - text.trimStart().length
  if (!added || !text.startsWith(added, start)) return undefined
  return start + added.length
}

/** The first line of a header as Outlook writes it above the whole mail that it answers. */
function startOfAnswered(text: string): number | undefined {
  const header = findForwardedHeader(text, false)
  return header === undefined || header.isAnnounced || header.isQuoted ? undefined : header.start
}

/** “On … wrote:”, in any language: a date, and a colon at its end. */
function attributionAbove(lines: readonly string[], quote: number): number[] {
  let last = quote - 1
  while (last >= 0 && quote - last < MAX_ATTRIBUTION_LINES && lines[last]?.trim() === '') last -= 1
  if (!endsInColon((lines[last] ?? '').slice(-MAX_LINE_CHARS))) return []
  const taken: number[] = []
  for (let line = last; line >= 0 && taken.length < MAX_ATTRIBUTION_LINES && lines[line]?.trim() !== ''; line -= 1) {
    taken.push(line)
    if (DATE_LIKE.test((lines[line] ?? '').slice(0, MAX_LINE_CHARS))) return taken
  }
  return []
}
