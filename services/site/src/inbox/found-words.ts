import { type Html, html } from '../shell/html.ts'

/** Scripts without spaces between words, with the long vowels and voicing marks that several share. */
const UNSPACED = /[[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}]&&[\p{L}\p{N}\p{M}]]/v
/** As the search splits text: where the script changes, a word ends. */
const WORD = new RegExp(
  `${UNSPACED.source}+|[[\\p{L}\\p{N}]--${UNSPACED.source}][[\\p{L}\\p{N}\\p{M}]--${UNSPACED.source}]*`,
  'gv',
)

/** Marks the words of a text that begin with a searched word, as the search finds them; without spaces, the searched part alone. */
export function markFound(text: string, search: string): Html | string {
  const wanted = [...fold(search).matchAll(WORD)].map(([word]) => word)
  if (wanted.length === 0) return text
  const parts: (Html | string)[] = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD))
    for (const [from, to] of foundIn(word, wanted)) {
      parts.push(text.slice(end, index + from), html`<mark>${word.slice(from, to)}</mark>`)
      end = index + to
    }
  return html`${[...parts, text.slice(end)]}`
}

/** Ranges of a word, in order. */
function foundIn(word: string, wanted: string[]): [number, number][] {
  if (UNSPACED.test(word))
    return partsFound(
      word,
      wanted.filter((one) => UNSPACED.test(one)),
    )
  const folded = fold(word)
  const isFound = (one: string) => (/^\d+$/.test(one) ? folded === one : folded.startsWith(one))
  return wanted.some(isFound) ? [[0, word.length]] : []
}

/** Folding can change the length of a character, so each is folded alone. */
function partsFound(word: string, wanted: string[]): [number, number][] {
  const starts: number[] = []
  let all = ''
  let position = 0
  for (const character of word) {
    const part = fold(character)
    for (const _unit of part.split('')) starts.push(position)
    position += character.length
    all += part
  }
  starts.push(position)
  return merge(wanted.flatMap((one) => occurrences(all, one).map((at) => toRange(starts, at, one.length))))
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at)
  return found
}

function toRange(starts: number[], at: number, length: number): [number, number] {
  return [starts[at] ?? 0, starts[at + length] ?? 0]
}

function merge(ranges: [number, number][]): [number, number][] {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else if (from < to) merged.push([from, to])
  }
  return merged
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
}
