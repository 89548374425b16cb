export type Named = { personId: string; name: string }

/** What a note writes after an @: `personIds` is empty for a name that nobody here has. */
export type Mention = { start: number; end: number; personIds: string[] }

/** Longer names first: “@Ana Maria” is not Ana. */
export function readMentions(text: string, named: readonly Named[]): Mention[] {
  const members = named.map(({ personId, name }) => ({ personId, name: fold(name) }))
  return [...text.matchAll(AT)].map(({ index }) => {
    const [rest = ''] = NAME.exec(text.slice(index + 1)) ?? []
    const { personIds, name } = namedAt(fold(rest), members)
    const end = index + 1 + (personIds.length > 0 ? lengthOf(rest, name) : (WORD.exec(rest)?.[0].length ?? 0))
    return { start: index, end, personIds }
  })
}

/** Not within a word: an email address names nobody. */
const AT = /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}])/gu
/** Longer than any name, however many spaces are within it: a note may have an @ at every other letter. */
const NAME = /^(?:\s+|\S){0,400}/u
const WORD = /^[\p{L}\p{N}'’-]+/u

export function findMentions(text: string, named: readonly Named[]): string[] {
  return [...new Set(readMentions(text, named).flatMap(({ personIds }) => personIds))]
}

/** How much of the text the folded name takes. */
function lengthOf(text: string, name: string): number {
  let length = name.length
  while (length < text.length && !fold(text.slice(0, length)).startsWith(name)) length += 1
  return length
}

/** The members whose full name begins here, or else everyone with that first name. Expects folded names. */
function namedAt(rest: string, members: readonly Named[]): { personIds: string[]; name: string } {
  const begins = (name: string) =>
    name !== '' && rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length))
  const firsts = members.map(({ personId, name }) => ({ personId, name: name.split(' ')[0] ?? '' }))
  const full = members.filter(({ name }) => begins(name))
  const found = full.length > 0 ? full : firsts.filter(({ name }) => begins(name))
  const name = found.reduce((longest, one) => (one.name.length > longest.length ? one.name : longest), '')
  return { name, personIds: found.filter((one) => one.name === name).map(({ personId }) => personId) }
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim()
}
