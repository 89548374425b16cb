import { domainToASCII } from 'node:url'
import type { InboxAddress } from '../models/inbox-address.ts'
import type { Inbox } from '../models/message.ts'

/** The inbox a recipient leads to; `quota` only in one that takes no more than that, since nobody has claimed it. */
export type RecipientInbox = Inbox & Pick<InboxAddress, 'quota'>

/**
 * The part of an envelope recipient by which an inbox is found: in lower case, without quotes (RFC 5321 4.1.2) and without
 * a `+suffix`, which providers add when they forward.
 * @param mailDomain the domain this server takes mail for
 * @returns undefined for an address on another domain
 */
export function localPartOf(recipient: string, mailDomain: string): string | undefined {
  const at = recipient.lastIndexOf('@')
  const domain = domainToASCII(recipient.slice(at + 1).replace(/\.$/, ''))
  if (at < 1 || domain === '' || domain !== domainToASCII(mailDomain)) return undefined
  const local = recipient.slice(0, at).replace(/^"(.*)"$/, '$1')
  return local.split('+', 1)[0]?.toLowerCase()
}
