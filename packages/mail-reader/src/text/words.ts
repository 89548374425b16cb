const MAX_WORD_LETTERS = 40

/** Scripts without spaces between words: every pair of characters is indexed. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/v
const WORD = new RegExp(
  `[${UNSPACED.source}]+|[[\\p{L}\\p{N}]--${UNSPACED.source}][[\\p{L}\\p{N}\\p{Mc}]--${UNSPACED.source}]*`,
  'gv',
)

/** In lower case and without accents; at most 40 letters of each. */
export function* wordsIn(text: string): Generator<string> {
  for (const [word] of fold(text).matchAll(WORD)) yield [...word].slice(0, MAX_WORD_LETTERS).join('')
}

/** Removes compatibility forms, accents and case: “emile” finds “Émile”. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
}

export function pairsOf(word: string): string[] {
  const letters = [...word]
  return letters.length === 1 ? [word] : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
