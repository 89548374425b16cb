import { SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import type { Authenticity } from './authenticity.ts'

/**
 * Reads the stored result of a check. The only reading of it: for pages, tools, the guard, limits, notes, reminders,
 * conversations and the calendar.
 */
export function senderCheck(result: Authenticity | undefined): SenderCheck {
  if (result === undefined) return SenderCheck.UNSPECIFIED
  const { aligned, dmarc, forwarder } = result
  if (aligned ?? dmarc === 'pass') return SenderCheck.VERIFIED
  if (dmarc === 'temperror') return SenderCheck.IMPOSSIBLE
  return dmarc === 'fail' && forwarder === undefined ? SenderCheck.FAILED : SenderCheck.NOT_VERIFIED
}

/** Whether the mail is proven to be from the domain of its From. False until its check has ended. */
export function isProven({ authenticity }: { authenticity?: Authenticity | undefined }): boolean {
  return senderCheck(authenticity) === SenderCheck.VERIFIED
}
