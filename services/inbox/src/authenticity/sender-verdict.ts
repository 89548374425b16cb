import { SenderVerdict } from '@family-inbox/proto/inbox/v1/inbox'
import type { Authenticity, Message } from '../models/message.ts'

/** Whether the From domain authenticates the mail. A signature from any other domain proves nothing. */
export function isAuthentic({ aligned, dmarc }: Authenticity): boolean {
  return aligned ?? dmarc === 'pass'
}

/** Whether DMARC (RFC 9989) passes; unspecified until it is checked. */
export function senderVerdict({ authenticity }: Pick<Message, 'authenticity'>): SenderVerdict {
  const dmarc = authenticity?.dmarc
  if (dmarc === undefined || dmarc === 'temperror') return SenderVerdict.UNSPECIFIED
  return dmarc === 'pass' ? SenderVerdict.VERIFIED : SenderVerdict.NOT_VERIFIED
}
