import { domainToASCII } from 'node:url'

/** Without the `+suffix` of forwarders. Undefined for another domain. */
export function localPartOf(recipient: string, mailDomain: string): string | undefined {
  return wholeLocalPart(recipient, mailDomain)?.split('+', 1)[0]
}

/** Lower case, unquoted (RFC 5321 4.1.2). Undefined for another domain. */
export function wholeLocalPart(recipient: string, mailDomain: string): string | undefined {
  const at = recipient.lastIndexOf('@')
  const domain = normalDomain(recipient.slice(at + 1))
  if (at < 1 || domain === '' || domain !== normalDomain(mailDomain)) return undefined
  const local = recipient.slice(0, at).replace(/^"(.*)"$/, '$1')
  return local.toLowerCase()
}

/** RFC 5890, without the dot of the root. */
function normalDomain(domain: string): string {
  return domainToASCII(domain.replace(/\.$/, ''))
}

export type OwnAddresses = { mailDomain: string; senderAddress: string }

/** Whether mail to this address would come back here: every address at our mail domain, and the sender of our mail. */
export function isOwnAddress({ mailDomain, senderAddress }: OwnAddresses, address: string): boolean {
  if (localPartOf(address, mailDomain) !== undefined) return true
  const senderDomain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1)
  const local = localPartOf(address, senderDomain)
  return local !== undefined && local === localPartOf(senderAddress, senderDomain)
}
