const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Cuts text to at most `max` UTF-16 code units (so at most `max` characters by any count) without splitting what a reader
 * sees as one character. Looks only at the text near the cut. A first character longer than `max` leaves nothing.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const start = certainBorder(text, max)
  // The code point after the cut is all that the rules look ahead (Unicode UAX #29, 3.1.1).
  const segment = graphemes.segment(text.slice(start, max + 2)).containing(max - start)
  return text.slice(0, start + (segment?.index ?? 0))
}

/** The last place at or before `max` that is a border whatever comes before: between two characters that never combine. */
function certainBorder(text: string, max: number): number {
  let position = max
  while (position > 0 && !(isPlain(text.charCodeAt(position - 1)) && isPlain(text.charCodeAt(position)))) position -= 1
  return position
}

/** Printable ASCII, Latin letters, Greek and Cyrillic letters and Han characters: none extends or is joined to another. */
function isPlain(unit: number): boolean {
  return (
    (unit >= 0x20 && unit <= 0x7e) ||
    (unit >= 0xc0 && unit <= 0x2ff) ||
    (unit >= 0x391 && unit <= 0x481) ||
    (unit >= 0x4e00 && unit <= 0x9fff)
  )
}
