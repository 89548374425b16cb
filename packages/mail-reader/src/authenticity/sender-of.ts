import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import type { Mailbox } from '../mime/message-fields.ts'
import type { Authenticity } from './authenticity.ts'
import { isProven } from './sender-check.ts'

type SenderRow = {
  from: Mailbox
  originalSender?: Mailbox
  forwardedByMember?: true
  authenticity?: Authenticity
}

/** For mail that a member forwarded by hand, the sender that the forwarded mail names. No proof until the check has ended. */
export function senderOf(row: SenderRow): { sender: Mailbox; proof: SenderProof } {
  const { from, originalSender, forwardedByMember } = row
  if (forwardedByMember && originalSender && quotesAnother(row))
    return { sender: originalSender, proof: SenderProof.FORWARDED }
  return { sender: from, proof: isProven(row) ? SenderProof.VERIFIED : SenderProof.UNSPECIFIED }
}

/** Whether the mail names another author than its sender. A copy that is forwarded unchanged does not. */
export function quotesAnother({ from, originalSender }: Pick<SenderRow, 'from' | 'originalSender'>): boolean {
  return originalSender !== undefined && originalSender.address.toLowerCase() !== from.address.toLowerCase()
}

/** False for mail that quotes somebody else, unless a member verifiably forwarded it. */
export function isOfVerifiedSender(row: SenderRow): boolean {
  const isOwnWord = row.forwardedByMember === true || !quotesAnother(row)
  return isProven(row) && isOwnWord
}
