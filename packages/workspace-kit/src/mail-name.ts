const MOST_CHARACTERS = 60
/** One grapheme can hold any number of marks, and header lines have at most 998 bytes (RFC 5322 section 2.1.1). */
const MOST_UNITS = 120

/** The specials of RFC 5322 section 3.2.3 except the dot, the markers of encoded words (RFC 2047), and controls. */
const NOT_ALLOWED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>()[\]:;@\\,"=?/]+/gu
const JOINERS = /[\u200c\u200d]/u
/** A dot before letters looks like a web address to mail programs. */
const DOMAIN_DOT = /\.(?=\p{L}{2})/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Never reads as an address, a link or mail syntax. May be empty. */
export function toMailName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(NOT_ALLOWED, (match) => (JOINERS.test(match) && match.length === 1 ? match : ' '))
    .replace(DOMAIN_DOT, ' ')
  return shorten(plain.replace(/ +/g, ' ').trim())
}

function shorten(name: string): string {
  let short = ''
  let count = 0
  for (const { segment } of graphemes.segment(name)) {
    if (count === MOST_CHARACTERS || short.length + segment.length > MOST_UNITS) return short && `${short.trimEnd()}…`
    short += segment
    count += 1
  }
  return short
}
