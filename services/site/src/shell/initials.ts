import { type Html, html } from './html.ts'

const COLORS = 6
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Renders a loved one's initials on their color. */
export function initialsBadge(name: string, position: number): Html {
  return html`<span class="badge loved-${(position % COLORS) + 1}" aria-hidden="true">${initialsOf(name)}</span>`
}

/** Returns the first letters of the first and the last word of a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => firstLetter(word ?? ''))
  return letters.join('').toUpperCase()
}

function firstLetter(word: string): string {
  const [first] = graphemes.segment(word)
  return first?.segment ?? ''
}
