const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts text to at most `max` UTF-16 code units without splitting a grapheme. A first grapheme longer than `max` leaves nothing. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const start = certainBorder(text, max)
  // Segmentation rules look ahead one code point (Unicode UAX #29, 3.1.1).
  const segment = graphemes.segment(text.slice(start, max + 2)).containing(max - start)
  return text.slice(0, start + (segment?.index ?? 0))
}

/** The last position up to `max` that is a boundary in any context: between two characters that never combine. */
function certainBorder(text: string, max: number): number {
  let position = max
  while (position > 0 && !(isPlain(text.charCodeAt(position - 1)) && isPlain(text.charCodeAt(position)))) position -= 1
  return position
}

/** Printable ASCII, Latin, Greek, Cyrillic and Han letters never combine with each other. */
function isPlain(unit: number): boolean {
  return (
    (unit >= 0x20 && unit <= 0x7e) ||
    (unit >= 0xc0 && unit <= 0x2ff) ||
    (unit >= 0x391 && unit <= 0x481) ||
    (unit >= 0x4e00 && unit <= 0x9fff)
  )
}
