const MAX_WORD_LETTERS = 40

/** Scripts without spaces between words: every pair of characters is indexed. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/v
const WORD = new RegExp(
  `[${UNSPACED.source}]+|[[\\p{L}\\p{N}]--${UNSPACED.source}][[\\p{L}\\p{N}\\p{Mc}]--${UNSPACED.source}]*`,
  'gv',
)

/** In lower case and without accents; at most 40 letters of each. What is searched and what is marked are split by it. */
export function* wordsIn(text: string): Generator<string> {
  for (const { word } of findWords(fold(text))) yield word
}

/** A word and where it is in the text, which its folded form may be longer or shorter than. */
export type PlacedWord = {
  word: string
  /** Where a part of the folded word is in the text. */
  placeOf: (from: number, to: number) => [from: number, to: number]
}

/** The same words, with their places. */
export function* placedWordsIn(text: string): Generator<PlacedWord> {
  const folded = fold(text)
  const [starts, ends] = placesIn(text, folded.length)
  for (const { word, index } of findWords(folded))
    yield {
      word,
      placeOf: (from, to) => {
        const last = index + to - 1
        // Up to the next letter, because accents belong to the one before.
        return [starts[index + from] ?? 0, Math.max(ends[last] ?? 0, starts[last + 1] ?? text.length)]
      },
    }
}

function* findWords(folded: string): Generator<{ word: string; index: number }> {
  for (const { 0: found, index } of folded.matchAll(WORD))
    yield { word: [...found].slice(0, MAX_WORD_LETTERS).join(''), index }
}

/** Removes compatibility forms, accents and case: “emile” finds “Émile”. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
}

/** For each unit of the folded text, where the character that it is from begins and ends. */
function placesIn(text: string, foldedLength: number): [starts: number[], ends: number[]] {
  const [starts, ends]: [number[], number[]] = [[], []]
  let position = 0
  for (const character of text) {
    const start = position
    position += character.length
    for (let unit = fold(character).length; unit > 0; unit -= 1) {
      starts.push(start)
      ends.push(position)
    }
  }
  // A letter that folds in another length beside others: no place is better than a wrong one.
  return starts.length === foldedLength ? [starts, ends] : [[], []]
}

export function pairsOf(word: string): string[] {
  const letters = [...word]
  return letters.length === 1 ? [word] : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
