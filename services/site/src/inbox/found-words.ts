import { type PlacedWord, placedWordsIn, UNSPACED, wordsIn } from '@family-inbox/service-kit/text/words'
import { type Html, html } from '../shell/html.ts'

type Range = [from: number, to: number]

/** Marks the words of a text that begin with a searched word, as the search finds them; without spaces, the searched part alone. */
export function markFound(text: string, search: string): Html | string {
  const wanted = [...wordsIn(search)]
  if (wanted.length === 0) return text
  const ranges = merge([...placedWordsIn(text)].flatMap((placed) => foundIn(placed, wanted)))
  let end = 0
  const parts = ranges.flatMap(([from, to]) => {
    const before = text.slice(end, from)
    end = to
    return [before, html`<mark>${text.slice(from, to)}</mark>`]
  })
  return html`${[...parts, text.slice(end)]}`
}

function foundIn({ word, placeOf }: PlacedWord, wanted: string[]): Range[] {
  if (UNSPACED.test(word))
    return wanted
      .filter((one) => UNSPACED.test(one))
      .flatMap((one) => occurrences(word, one).map((at) => placeOf(at, at + one.length)))
  const isFound = (one: string) => (/^\d+$/.test(one) ? word === one : word.startsWith(one))
  return wanted.some(isFound) ? [placeOf(0, word.length)] : []
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at)
  return found
}

function merge(ranges: Range[]): Range[] {
  const merged: Range[] = []
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last && from < last[1]) last[1] = Math.max(last[1], to)
    else if (from < to) merged.push([from, to])
  }
  return merged
}
