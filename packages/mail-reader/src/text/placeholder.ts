import { FURNITURE_MARK } from './furniture.ts'
import { ADDRESS, countContacts, countWords, readSaid, type Said } from './said.ts'

/** A plain part of fewer words is short. */
const SHORT = 30
const SEVERAL_TIMES = 3
/** As often, a longer one may leave out legal text. */
const MANY_TIMES = 6
/** Fewer words are a matter of wording. */
const MIN_LOST = 3
/** A rendition does not skip more words and then continue. */
const MAX_SKIPPED = 6
/** The least words of the letter before anything around it is furniture: a title is in larger print than the letter below it. */
const MIN_RENDERED = 5
const MAX_REWORDED = 0.25
const MAX_LINK_WORDS = 3
const MAX_CONTACT_WORDS = 6
/** Times, decimals and dates. Postal codes and the numbers of houses and customers are not. */
const PRECISE = /^\p{Nd}{1,4}(?:\.\p{Nd}{1,4})+$/u
/** White space with punctuation around it, so that it does not matter where an element ends. */
const SPACE = /[^\p{L}\p{N}\s]{0,4}\s+[^\p{L}\p{N}\s]{0,4}/u
const SET_APART = new RegExp(`^[\\s>*]{0,40}${FURNITURE_MARK}`)
const ORDINAL = /^[\s>*]{0,40}(\d{1,3})[.)]\s/

/** Whether the HTML has nothing to add, judged by all text between its tags, hidden or not. Cheaper than a conversion. */
export function saysAllOf(plain: string, untagged: string): boolean {
  const all = new Set(untagged.split(SPACE))
  // Nearly all mail has the same words in both, to the letter.
  const news = missing(all, new Set(plain.split(SPACE))).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (news.length === 0) return true
  const [own, other] = [readSaid(plain), readSaid(news.join(' | '))]
  const lost = missing(other.words, own.words).length
  return lost * SEVERAL_TIMES <= all.size && lost <= MAX_SKIPPED && isIn(own.numbers, other.numbers)
}

/**
 * Whether a plain part is a placeholder for the HTML beside it, in any language: it lacks numbers of the HTML, skips a part,
 * or the HTML says several times more. Navigation and footers around what it does render do not count.
 * @param html as text to compare (html-text.ts)
 */
export function isPlaceholder(plain: string, html: string): boolean {
  const own = readSaid(plain)
  const everything = readLines(html, own)
  const all = { words: union(everything, 'words'), numbers: union(everything, 'numbers') }
  if (own.words.size + own.numbers.size === 0) return all.words.size + all.numbers.size > 0
  const lines = withoutFurniture(everything)
  const lostNumbers = missing(union(lines, 'numbers'), own.numbers).length
  if (lostNumbers > missing(own.numbers, all.numbers).length) return true
  const rendered = lines.findLastIndex(({ isRendered }) => isRendered)
  const skipped = missing(union(lines.slice(0, rendered + 1), 'words'), own.words)
  return countWords(skipped) > MAX_SKIPPED || saysMuchMore(own, all, union(lines, 'words'))
}

function saysMuchMore(own: Said, all: Said, letter: ReadonlySet<string>): boolean {
  const [total, size] = [countWords(letter), countWords(own.words)]
  const lost = countWords(missing(letter, own.words))
  const lostOtherwise = countWords(missing(own.words, all.words))
  if (lost < MIN_LOST) return lost > 0 && lost === total && lost >= lostOtherwise
  // A picture of a letter has few words in HTML.
  const isOther = lostOtherwise > size / 2 && lost * SEVERAL_TIMES > total * 2
  if (size < SHORT) return total > size * SEVERAL_TIMES || (isOther && lost * 2 >= lostOtherwise)
  return total > size * MANY_TIMES || (isOther && lost > lostOtherwise)
}

type Line = Said & { text: string; isSetApart: boolean; isContact: boolean; isRendered: boolean }

function readLines(html: string, own: Said): Line[] {
  return linesOf(html).map((text) => {
    const said = readSaid(text)
    const isSetApart = SET_APART.test(text)
    const isContact = hasContacts(text, said) && isIn(own.numbers, preciseOf(said))
    return { ...said, text, isSetApart, isContact, isRendered: !isSetApart && !isContact && isRenderedBy(own, said) }
  })
}

/** Without empty lines and the numbers of a list. */
function linesOf(text: string): string[] {
  let next = 1
  return text.split('\n').flatMap((line) => {
    const ordinal = Number(ORDINAL.exec(line)?.[1])
    if (ordinal === 1 || ordinal === next) next = ordinal + 1
    const kept = (ordinal + 1 === next ? line.replace(ORDINAL, '') : line).trim()
    return kept === '' ? [] : [kept]
  })
}

function isRenderedBy(own: Said, { words, numbers }: Said): boolean {
  return words.size > 0 && missing(words, own.words).length <= words.size * MAX_REWORDED && isIn(own.numbers, numbers)
}

function withoutFurniture(lines: Line[]): Line[] {
  const rendered = lines.filter(({ isRendered }) => isRendered)
  if (countWords(union(rendered, 'words')) < MIN_RENDERED) return lines
  const end = lines.findLastIndex(({ isRendered }) => isRendered)
  const footer = lines.findIndex((line, index) => index > end && line.isContact)
  return lines.map((line, index) => {
    const isFurniture = line.isSetApart || isNavigation(line) || (footer >= 0 && index >= footer)
    return isFurniture ? { ...line, words: new Set(), numbers: preciseOf(line) } : line
  })
}

function isNavigation({ text, words, numbers }: Line): boolean {
  return numbers.size === 0 && countWords(words) <= MAX_LINK_WORDS * (text.match(ADDRESS)?.length ?? 0)
}

/** Such as a postal address with a telephone number, or a copyright. */
function hasContacts(text: string, { words }: Said): boolean {
  const contacts = countContacts(text)
  return contacts > 0 && countWords(words) <= MAX_CONTACT_WORDS * contacts - (contacts === 1 ? 2 : 0)
}

function preciseOf({ numbers }: Said): Set<string> {
  return new Set([...numbers].filter((number) => PRECISE.test(number)))
}

function union(lines: Said[], what: keyof Said): Set<string> {
  return new Set(lines.flatMap((line) => [...line[what]]))
}

function missing(from: ReadonlySet<string>, known: ReadonlySet<string>): string[] {
  return [...from].filter((word) => !known.has(word))
}

function isIn(known: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  return missing(wanted, known).length === 0
}
