import { SenderVerdict } from '@family-inbox/proto/inbox/v1/inbox'
import type { Authenticity, Message } from '../models/message.ts'

/** Whether the domain of the From address vouches for a mail. A signature of any other domain proves nothing about it. */
export function isAuthentic({ aligned, dmarc }: Authenticity): boolean {
  return aligned ?? dmarc === 'pass'
}

/** Whether DMARC (RFC 9989) proves that a mail is from the domain of its From. Not known while it is being checked. */
export function senderVerdict({ authenticity }: Pick<Message, 'authenticity'>): SenderVerdict {
  const dmarc = authenticity?.dmarc
  if (dmarc === undefined || dmarc === 'temperror') return SenderVerdict.UNSPECIFIED
  return dmarc === 'pass' ? SenderVerdict.VERIFIED : SenderVerdict.NOT_VERIFIED
}
