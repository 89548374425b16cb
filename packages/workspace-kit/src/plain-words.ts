import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireLine } from '@family-inbox/service-kit/rpc/text-rules'
import tlds from 'tlds' with { type: 'json' }

/** RFC 2606 and RFC 6761: nobody's, but mail programs link them all the same. */
const RESERVED = ['example', 'invalid', 'localhost', 'test', 'local', 'onion']
const TOP_LEVEL = new Set([...tlds, ...RESERVED])

/** As some write them before a name without a space: "Dr.Li" and "Dipl.Ing." are no domains. */
const TITLES = new Set('dr prof mr mrs ms st sr jr fr md univ dipl mag lic rev hon sra dra ing b m'.split(' '))

const SCHEME = /(?:\b[a-z][a-z0-9+.-]*:\/\/|\bmailto:|\bwww\.)\S*/iu
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/u
/** Parts joined by dots, and a slash if one follows. Only the first may begin with a hyphen: a second one is a title, as in "Dipl.-Ing." */
const DOTTED = /(?<![\p{L}\p{N}\p{M}_-])[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]*)+\/?/gu
/** As in "bank[.]com" and "bank (dot) com". */
const DISGUISED_DOT = / ?[[({<] ?(?:\.|dot|punkt|punto|ponto|point) ?[\])}>] ?/giu
const SPACED_DOT = / \.(?=\p{L}{2,})/gu

/** Reads a line that strangers get with our name on it, so without links, domains and addresses. @throws StatusError INVALID_ARGUMENT */
export function requirePlainLine(field: string, value: string, max: number): string {
  const line = requireLine(field, value, max)
  const found = findLink(line)
  if (found === undefined) return line
  const message = `${field} must not contain links, domains or email addresses. Leave out “${found}”, or put a space after its dot.`
  throw new StatusError('INVALID_ARGUMENT', message, { ...invalidArgument(field, '').detail, found })
}

export function optionalPlainLine(field: string, value: string, max: number): string {
  return value.trim() === '' ? optionalLine(field, value, max) : requirePlainLine(field, value, max)
}

const SHOWN = 60

/** Finds what a mail program, or a reader who follows a hint, would open. */
export function findLink(line: string): string | undefined {
  // Compatibility forms, such as full-width letters and dots, and invisible joiners do not hide a link.
  const plain = line
    .normalize('NFKC')
    .replaceAll(/[\u200c\u200d]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/。(?=[a-z0-9])/giu, '.')
  const [found] =
    SCHEME.exec(plain) ??
    IPV4.exec(plain) ??
    findDomain(plain.replaceAll(DISGUISED_DOT, '.').replaceAll(SPACED_DOT, '.')) ??
    []
  return found?.slice(0, SHOWN)
}

function findDomain(text: string): [string] | undefined {
  for (const [dotted] of text.matchAll(DOTTED)) if (isDomain(dotted)) return [dotted]
  return undefined
}

function isDomain(dotted: string): boolean {
  const hasPath = dotted.endsWith('/')
  const parts = dotted
    .toLowerCase()
    .replace('/', '')
    .replace(/^[-_]+/, '')
    .split('.')
  return parts.some((part, index) => {
    if (index === 0 || !TOP_LEVEL.has(part)) return false
    if (hasPath) return true
    const before = parts.slice(0, index)
    // Initials: "Y.Li". A short name under a country is a domain only if it has a path.
    const isInitials = part.length === 2 && before.every(({ length }) => length === 1)
    return !isInitials && !(part.length < 5 && before.every((word) => TITLES.has(word)))
  })
}
