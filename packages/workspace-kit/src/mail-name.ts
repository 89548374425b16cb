const MOST_CHARACTERS = 60
/** A character a reader sees can be made of any number of marks; mail headers have lines of at most 998 bytes (RFC 5322 2.1.1). */
const MOST_UNITS = 120

/** The specials of RFC 5322 section 3.2.3 (but the dot), what begins and ends an encoded word (RFC 2047), and controls. */
const NO_PART_OF_A_NAME = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>()[\]:;@\\,"=?/]+/gu
/** Joins what scripts and emoji need joined. */
const JOINERS = /[\u200c\u200d]/u
/** A dot before letters makes mail programs see a web address. */
const DOMAIN_DOT = /\.(?=\p{L}{2})/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * A person's or a household's name as it may stand in a mail, its header included: nothing in it can be taken for an
 * address, a link or mail syntax, also after compatibility forms (a full-width @) are folded. At most 60 characters; empty
 * when nothing of it is fit.
 */
export function toMailName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(NO_PART_OF_A_NAME, (match) => (JOINERS.test(match) && match.length === 1 ? match : ' '))
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
