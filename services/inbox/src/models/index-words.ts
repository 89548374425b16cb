import { pairsOf, UNSPACED, wordsIn } from '@family-inbox/service-kit/text/words'

const KEY_LETTERS = 4
/** Different words, and words in all. */
const [MAX_WORDS, MAX_LENGTH] = [3000, 9000]
const MAX_SEARCHED = 8
/** Between two texts, so that no phrase spans them. */
const BREAK = '|'

const PHRASE = /["“”„«]([^"“”„«»]+)["“”»]|[^\s"“”„«»]+/g

/** Before the keys of people, so that a name is not found in a text. */
const PERSON = '@'

export type Words = { keys: string[]; words: string }

export function indexWords(texts: string[]): Words {
  const known = new Set<string>()
  const keys = new Set<string>()
  const words: string[] = []
  for (const text of texts) {
    if (words.length > 0) words.push(BREAK)
    for (const word of wordsIn(text)) {
      if (words.length >= MAX_LENGTH || (known.size === MAX_WORDS && !known.has(word))) break
      words.push(word)
      known.add(word)
      for (const key of keysOf(word)) keys.add(key)
    }
  }
  return { keys: [...keys], words: known.size === 0 ? '' : ` ${words.join(' ')}` }
}

/** The words of each of these texts in what `indexWords` made of them. */
export function wordsOfEach(texts: readonly string[], words: string): string[] {
  // A break is before each text but those before the first word.
  const first = texts.findIndex((text) => wordsIn(text).next().done === false)
  const parts = words.split(` ${BREAK}`)
  return texts.map((_, index) => (index < first ? '' : (parts[index - first] ?? '')))
}

/** As found by `searchPeople`. */
export function indexPeople(people: string[]): Words {
  const { keys, words } = indexWords(people)
  return { keys: keys.map((key) => `${PERSON}${key}`), words }
}

export type Phrase = { written: string; pattern: RegExp }

/** Every name is a phrase; its last word may continue. */
export function searchPeople(names: string[]): { keys: string[]; phrases: Phrase[] } {
  const phrases = names
    .map((written) => ({ written, words: wordsIn(written).take(MAX_SEARCHED).toArray() }))
    .filter(({ words }) => words.length > 0)
  return {
    keys: [...new Set(phrases.flatMap(({ words }) => words.flatMap(searchKeysOf)))].map((key) => `${PERSON}${key}`),
    phrases: phrases.map(({ written, words }) => ({ written, pattern: new RegExp(patternOf(words, false), 'u') })),
  }
}

/** Quotes enclose a phrase. What is written without spaces, such as 10:30 or a name@domain, is found as written. */
export function searchWords(text: string): { keys: string[]; phrases: Phrase[] } {
  const phrases = text
    .matchAll(PHRASE)
    .map(([written, quoted]) => ({
      written: quoted ?? written,
      words: wordsIn(quoted ?? written)
        .take(MAX_SEARCHED)
        .toArray(),
      isWhole: quoted !== undefined,
    }))
    .filter(({ words }) => words.length > 0)
    .take(MAX_SEARCHED)
    .toArray()
  return {
    keys: [...new Set(phrases.flatMap(({ words }) => words.flatMap(searchKeysOf)))],
    // A short key also matches longer words: the pattern decides.
    phrases: phrases.map(({ written, words, isWhole }) => ({
      written,
      pattern: new RegExp(patternOf(words, isWhole), 'u'),
    })),
  }
}

/** The last word may continue, except in quotes and numbers: 5 mg is not 50 mg. */
function patternOf(words: string[], isWhole: boolean): string {
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const start = UNSPACED.test(first) ? '' : ' '
  const end = isWhole && !UNSPACED.test(last) ? '(?= |$)' : /^[0-9]+$/.test(last) ? '(?![0-9])' : ''
  return `${start}${words.join(' ')}${end}`
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
