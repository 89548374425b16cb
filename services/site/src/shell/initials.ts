import { type Html, html } from './html.ts'

const COLOURS = 6
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * A loved one's initials on their colour, of six.
 * @param position their place among the household's loved ones in the order they were added, which stays the same
 */
export function initialsBadge(name: string, position: number): Html {
  return html`<span class="badge loved-${(position % COLOURS) + 1}" aria-hidden="true">${initialsOf(name)}</span>`
}

/** The first letter of the first and the last word of a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => firstLetter(word ?? ''))
  return letters.join('').toUpperCase()
}

function firstLetter(word: string): string {
  const [first] = graphemes.segment(word)
  return first?.segment ?? ''
}
