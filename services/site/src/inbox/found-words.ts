import { type Html, html } from '../shell/html.ts'

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/v

/** Marks the words of a text that begin with a searched word, as the search finds them. */
export function markFound(text: string, search: string): Html | string {
  const wanted = [...fold(search).matchAll(WORD)].map(([word]) => word)
  if (wanted.length === 0) return text
  const parts: (Html | string)[] = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.some((one) => isFound(fold(word), one))) continue
    parts.push(text.slice(end, index), html`<mark>${word}</mark>`)
    end = index + word.length
  }
  return html`${[...parts, text.slice(end)]}`
}

function isFound(word: string, wanted: string): boolean {
  if (/^\d+$/.test(wanted)) return word === wanted
  return UNSPACED.test(wanted) ? word.includes(wanted) : word.startsWith(wanted)
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
}
