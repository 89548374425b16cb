const KEY_LETTERS = 4
const MAX_WORDS = 3000
const MAX_WORD_LETTERS = 40
const MAX_SEARCHED = 8

/** Scripts without spaces between words: every pair of characters is indexed. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/v
const WORD = new RegExp(
  `[${UNSPACED.source}]+|[[\\p{L}\\p{N}]--${UNSPACED.source}][[\\p{L}\\p{N}\\p{Mc}]--${UNSPACED.source}]*`,
  'gv',
)

export type Words = { keys: string[]; words: string }

export function indexWords(texts: string[]): Words {
  const words = new Set<string>()
  const keys = new Set<string>()
  for (const word of wordsIn(texts)) {
    if (words.size === MAX_WORDS) break
    words.add(word)
    for (const key of keysOf(word)) keys.add(key)
  }
  return { keys: [...keys], words: words.size === 0 ? '' : ` ${[...words].join(' ')}` }
}

export function searchWords(text: string): { keys: string[]; patterns: RegExp[] } {
  const words = [...new Set(wordsIn([text]))].slice(0, MAX_SEARCHED)
  return {
    keys: [...new Set(words.flatMap(searchKeysOf))],
    // A short key also matches longer words: the pattern decides.
    patterns: words.map((word) => new RegExp(UNSPACED.test(word) ? word : ` ${word}`, 'u')),
  }
}

function* wordsIn(texts: string[]): Generator<string> {
  for (const text of texts)
    for (const [word] of fold(text).matchAll(WORD)) yield [...word].slice(0, MAX_WORD_LETTERS).join('')
}

/** Removes compatibility forms, accents and case: “emile” finds “Émile”. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
}

/** By its first two and first four letters, so typing two letters finds it. */
function keysOf(word: string): string[] {
  if (UNSPACED.test(word)) return pairsOf(word)
  const letters = [...word].slice(0, KEY_LETTERS)
  return letters.length <= 2 ? [word] : [letters.slice(0, 2).join(''), letters.join('')]
}

function searchKeysOf(word: string): string[] {
  if (UNSPACED.test(word)) return pairsOf(word)
  const letters = [...word]
  return letters.length >= KEY_LETTERS ? [letters.slice(0, KEY_LETTERS).join('')] : [letters.slice(0, 2).join('')]
}

function pairsOf(word: string): string[] {
  const letters = [...word]
  return letters.length === 1 ? [word] : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
