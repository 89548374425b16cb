type Mailbox = { name: string; address: string }

const NO_WORD = /[^\p{L}\p{N}\p{M}.-]+/u
/** "Dr.Weber" and "St.Mary" are no domains. */
const TITLES = new Set('dr dra prof st sta sr sra mr mrs ms mme med dipl ing jr phil rer nat'.split(' '))

/** The name that may stand for a sender: empty if it holds an address, or a domain that is not the one of the address. */
export function nameOfSender({ name, address }: Mailbox): string {
  const folded = name.normalize('NFKC').toLowerCase().replaceAll('。', '.')
  if (folded.includes('@')) return ''
  const own = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  return folded
    .split(NO_WORD)
    .flatMap(domainIn)
    .every((domain) => isSameSite(domain, own))
    ? name
    : ''
}

function domainIn(word: string): string[] {
  const labels = word.split('.').filter((label) => /[\p{L}\p{N}]/u.test(label))
  const [last = '', before = ''] = labels.toReversed()
  const isDomain = /\p{L}[\p{L}\p{M}]/u.test(last) && before.length > 1 && !TITLES.has(before)
  return isDomain ? [labels.join('.')] : []
}

function isSameSite(domain: string, own: string): boolean {
  return own !== '' && (own === domain || own.endsWith(`.${domain}`) || domain.endsWith(`.${own}`))
}
