import freeEmailDomains from 'free-email-domains'

/** Where anyone gets a mailbox, and the package does not say so. */
const MORE = [
  'tuta.com',
  'tutanota.com',
  'tutamail.com',
  'keemail.me',
  'hey.com',
  'mailbox.org',
  'mozmail.com',
  'privaterelay.appleid.com',
  'duck.com',
  'simplelogin.com',
  'passmail.net',
  'anonaddy.me',
]

const PUBLIC = new Set([...freeEmailDomains, ...MORE])

/** Empty without an address. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/**
 * Whether mail of these addresses has one sender: the same address, or one domain that is not a public mail provider. Only what
 * is proven to be from these addresses may be compared.
 */
export function isSameSender(one: string, other: string): boolean {
  if (one === '' || other === '') return false
  const domain = domainOf(one)
  return one.toLowerCase() === other.toLowerCase() || (domain === domainOf(other) && !PUBLIC.has(domain))
}
