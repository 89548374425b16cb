import { domainToASCII } from 'node:url'
import type { InboxAddress } from '../models/inbox-address.ts'
import type { Inbox } from '../models/message.ts'

/** `quota` only for an unclaimed sandbox. */
export type RecipientInbox = Inbox & Pick<InboxAddress, 'quota'>

/**
 * The local part of an envelope recipient: lower case, unquoted (RFC 5321 4.1.2), without the `+suffix` that providers
 * add when forwarding.
 * @returns undefined for another domain
 */
export function localPartOf(recipient: string, mailDomain: string): string | undefined {
  const at = recipient.lastIndexOf('@')
  const domain = domainToASCII(recipient.slice(at + 1).replace(/\.$/, ''))
  if (at < 1 || domain === '' || domain !== domainToASCII(mailDomain)) return undefined
  const local = recipient.slice(0, at).replace(/^"(.*)"$/, '$1')
  return local.split('+', 1)[0]?.toLowerCase()
}
