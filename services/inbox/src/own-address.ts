import { domainToASCII } from 'node:url'
import { domainOf } from '@family-inbox/workspace-kit/same-sender'

/** Our addresses: all at a domain, or only those behind the `+` of one mailbox there, as in `family+k3v9@example.org`. */
export type MailPlace = { mailDomain: string; mailbox?: string | undefined }

/** The whole address of a local part of ours. */
export function addressAt({ mailDomain, mailbox }: MailPlace, localPart: string): string {
  return mailbox === undefined ? `${localPart}@${mailDomain}` : `${mailbox}+${localPart}@${mailDomain}`
}

/** Without the `+suffix` of forwarders. Undefined if the address is not ours. */
export function localPartOf(recipient: string, place: MailPlace): string | undefined {
  return wholeLocalPart(recipient, place)?.split('+', 1)[0]
}

/** Lower case, unquoted (RFC 5321 4.1.2); empty for the mailbox itself. Undefined if the address is not ours. */
export function wholeLocalPart(recipient: string, { mailDomain, mailbox }: MailPlace): string | undefined {
  const at = recipient.lastIndexOf('@')
  const domain = normalDomain(recipient.slice(at + 1))
  if (at < 1 || domain === '' || domain !== normalDomain(mailDomain)) return undefined
  const local = recipient
    .slice(0, at)
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase()
  if (mailbox === undefined) return local
  if (local === mailbox) return ''
  return local.startsWith(`${mailbox}+`) ? local.slice(mailbox.length + 1) : undefined
}

/** RFC 5890, without the dot of the root. */
function normalDomain(domain: string): string {
  return domainToASCII(domain.replace(/\.$/, ''))
}

export type OwnAddresses = MailPlace & { senderAddress: string }

/** Whether mail to this address would come back here: every address of ours, and the sender of our mail. */
export function isOwnAddress({ senderAddress, ...place }: OwnAddresses, address: string): boolean {
  if (localPartOf(address, place) !== undefined) return true
  const at = { mailDomain: domainOf(senderAddress) }
  const local = localPartOf(address, at)
  return local !== undefined && local === localPartOf(senderAddress, at)
}
