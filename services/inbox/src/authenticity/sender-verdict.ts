import { SenderVerdict } from '@family-inbox/proto/inbox/v1/inbox'
import type { Message } from '../models/message.ts'

/** Whether DMARC (RFC 9989) proves that a mail is from the domain of its From. Not known while it is being checked. */
export function senderVerdict({ authenticity }: Pick<Message, 'authenticity'>): SenderVerdict {
  const dmarc = authenticity?.dmarc
  if (dmarc === undefined || dmarc === 'temperror') return SenderVerdict.UNSPECIFIED
  return dmarc === 'pass' ? SenderVerdict.VERIFIED : SenderVerdict.NOT_VERIFIED
}
