const MOST_CHARACTERS = 60
/** A grapheme can hold any number of marks, and header lines have at most 998 bytes (RFC 5322 section 2.1.1). */
const MOST_UNITS = 120

/** The specials of RFC 5322 section 3.2.3 except the dot, the markers of encoded words (RFC 2047), and controls. */
const NOT_ALLOWED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>()[\]:;@\\,"=?/]+/gu
const JOINERS = /[\u200c\u200d]/u
/** A dot before letters looks like a web address to mail programs, also one of another script. */
const DOMAIN_DOT = /[.。](?=[\u200c\u200d]*\p{L}[\p{M}\u200c\u200d]*\p{L})/gu
const OTHER_LINKS = /:\/\/|@/g

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The one way to write a name that somebody chose into mail, into subjects and text alike. Never reads as an address, a link or
 * mail syntax. May be empty.
 */
export function toMailName(name: string): string {
  const plain = takeLinksApart(name).replace(NOT_ALLOWED, (match) =>
    JOINERS.test(match) && match.length === 1 ? match : ' ',
  )
  return shorten(plain.replace(/ +/g, ' ').trim())
}

/** A loved one in mail, which is not a safe place for more about them. */
export function nameInMail(lovedOneName: string): string {
  return toMailName(lovedOneName) || 'somebody you care for'
}

/** The same words without a link or an address, for a form that suggests a name which somebody else chose. */
export function takeLinksApart(name: string): string {
  return name.normalize('NFKC').replace(OTHER_LINKS, ' ').replace(DOMAIN_DOT, ' ').replace(/ +/g, ' ').trim()
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
