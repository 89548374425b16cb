import { isProven, senderCheck } from '@family-inbox/mail-reader/authenticity/sender-check'
import type { Mailbox } from '@family-inbox/mail-reader/mime/message-fields'
import type { ParsedMessage } from '@family-inbox/mail-reader/parsed-message'
import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { foldEmail, requireEmail } from '@family-inbox/service-kit/rpc/text-rules'
import { isSameSender } from '@family-inbox/workspace-kit/same-sender'
import { LRUCache } from 'lru-cache'
import { isOwnAddress, type OwnAddresses } from '../own-address.ts'
import type { Message } from './message.ts'

export const RECIPIENT_FIELDS = {
  from: 1,
  replyTo: 1,
  originalSender: 1,
  originalReplyTo: 1,
  fromMember: 1,
  authenticity: 1,
} as const

export type Recipients = Pick<Message, keyof typeof RECIPIENT_FIELDS>

/** The same people write again and again, and checking their addresses is a third of the work of a summary. */
const mailable = new LRUCache<string, string>({
  max: 1000,
  maxSize: 100_000,
  sizeCalculation: (_, written) => written.length,
})

/** The address a reply would go to; undefined if mail cannot go there. */
export function resolveReplyTo(message: Recipients, own: OwnAddresses): string | undefined {
  const written = replyMailbox(message, own)?.address ?? ''
  const known = mailable.get(written)
  if (known !== undefined) return known
  try {
    const email = requireEmail('messageId', written)
    mailable.set(written, email)
    return email
  } catch {
    return undefined
  }
}

/** @throws StatusError FAILED_PRECONDITION saying why nobody can be replied to */
export function requireReplyTo(message: Recipients, own: OwnAddresses): string {
  const to = resolveReplyTo(message, own)
  if (to !== undefined) return to
  throw new StatusError('FAILED_PRECONDITION', explainNoRecipient(message, own))
}

/** For a message without an address that a reply could go to. */
export function explainNoRecipient(message: Recipients, own: OwnAddresses): string {
  const leadsBack = replyMailbox(message, own) === undefined && candidates(message).length > 0
  return leadsBack
    ? 'This message can’t be answered by email: its only address is one of this service’s own. Call them instead.'
    : 'This message has no address to reply to.'
}

/** The first that does not lead back here: such a reply would be lost, or go in circles. */
export function replyMailbox(message: Recipients, own: OwnAddresses): Mailbox | undefined {
  return candidates(message).find(({ address }) => !isOwnAddress(own, address))
}

/**
 * The author before the member who forwarded it, and a Reply-To before who wrote it (RFC 5322 3.6.2). In mail that names no member
 * as its sender, what looks like a forward may be a quote or forged, and redirects nothing. An older version did not store that.
 */
function candidates(message: Recipients): Mailbox[] {
  const { from, replyTo, originalSender, originalReplyTo, authenticity } = message
  const { fromMember = authenticity !== undefined } = message
  const original = originalSender && fromMember ? [...listed(originalReplyTo), originalSender] : []
  return [...original, ...listed(replyTo), from].filter(({ address }) => address !== '')
}

function listed(replyTo: ParsedMessage['replyTo']): Mailbox[] {
  return replyTo ? [replyTo, ...(replyTo.others ?? [])] : []
}

/** A check proves only the sender, not a forwarded author or a Reply-To elsewhere. */
export function isVerified(message: Recipients, to: string): boolean {
  return isProven(message) && isSameSender(to, foldEmail(message.from.address))
}

/**
 * Whether somebody may answer who does not see where the answer goes: to the address of From, if its domain does not deny the mail, or
 * to another that is proven. A Reply-To and a forward can name anybody.
 */
export function isObvious(message: Recipients & Pick<Message, 'forwardedByMember'>, to: string): boolean {
  const isToSender = to === foldEmail(message.from.address) && senderCheck(message.authenticity) !== SenderCheck.FAILED
  return isToSender || message.forwardedByMember === true || isVerified(message, to)
}
