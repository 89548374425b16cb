import { cleanText } from '@family-inbox/service-kit/text/clean-text'
import { pairsOf, UNSPACED, wordsIn } from '@family-inbox/service-kit/text/words'

/** The content of a text, to compare two renditions of a letter: its layout, case, accents and links do not count. */
export type Said = {
  words: ReadonlySet<string>
  /** As `8.15`, whatever separates the digits. */
  numbers: ReadonlySet<string>
}

/** Addresses of pages and mailboxes. */
export const ADDRESS = /\b(?:https?:\/\/|www\.|mailto:|tel:)[!-;=?-~]+|(?<![\w.+-])[\w.+-]{1,64}@[\w.-]+/giu
const DATE = String.raw`(?<!\d)(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})(?!\d)`
/** International, with the 0 of a long-distance call, or North American. */
const PHONES = [
  String.raw`\+\d[\d\s()./-]{5,17}\d`,
  String.raw`(?<!\d)\(?0\d{1,5}\)?[\s/-]?\d[\d\s/-]{3,12}\d(?!\d)`,
  String.raw`(?<![\d.])(?:1[\s.-])?(?:\(?\d{3}\)?[\s.-])?\d{3}[.-]\d{4}(?!\d)`,
]
const DATE_OR_PHONE = new RegExp(`(${DATE})|(?:${PHONES.join('|')})`, 'g')
const NUMBER = /\p{Nd}+(?:[.,:/-]\p{Nd}+)*/gu
const YEAR_OF_COPYRIGHT = /(?:©|℗|\(c\)) ?(?:\d{4} ?[-–—,] ?)?\d{4}/giu

/** Numbers of telephones, years of a copyright and what is inside an address do not count. */
export function readSaid(text: string): Said {
  const bare = cleanText(text).normalize('NFKC').replace(ADDRESS, ' ')
  const counted = bare.replace(YEAR_OF_COPYRIGHT, ' ').replace(DATE_OR_PHONE, (_, date = ' ') => date)
  const words = [...wordsIn(bare)].flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : [word]))
  return {
    words: new Set(words.filter((word) => /\p{L}/u.test(word) && /../u.test(word))),
    numbers: new Set(Array.from(counted.matchAll(NUMBER), ([number]) => canonical(number))),
  }
}

function canonical(number: string): string {
  return number
    .replace(/,(?=\p{Nd}{3}(?!\p{Nd}))/gu, '')
    .split(/[^\p{Nd}]/u)
    .map((digits) => digits.replace(/^0+(?=.)/, ''))
    .join('.')
}

/** How many telephone numbers, addresses, codes of places and copyrights a line has, as footers do. */
export function countContacts(line: string): number {
  const text = line.normalize('NFKC')
  const phones = [...text.replace(ADDRESS, ' ').matchAll(DATE_OR_PHONE)].filter(([, date]) => date === undefined)
  const places = text
    .replace(DATE_OR_PHONE, ' ')
    .match(/(?<![\p{Nd}.,:/-])(?!(?:19|20)\d\d(?!\d))\p{Nd}{4,6}(?![.,:/-]?\p{Nd})/gu)
  return (
    phones.length + (places?.length ?? 0) + (text.match(ADDRESS)?.length ?? 0) + (text.match(/[©℗®]/g)?.length ?? 0)
  )
}

/** Words of text; a pair of characters in scripts without spaces is half of one. */
export function countWords(words: Iterable<string>): number {
  let count = 0
  for (const word of words) count += UNSPACED.test(word) ? 0.5 : 1
  return count
}
