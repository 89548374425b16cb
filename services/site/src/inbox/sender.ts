import type { Authenticity, Mailbox, MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'

type AuthenticityWords = {
  kind: 'good' | 'unknown' | 'pending' | 'bad'
  label: string
  text: string
}

/** Only DMARC checks the visible sender address (RFC 9989), and forwarding often breaks it. */
export function authenticityWords(verdict: Authenticity | undefined, domain: string): AuthenticityWords {
  if (verdict === undefined || verdict.dmarc === 'pending')
    return {
      kind: 'pending',
      label: 'Checking sender',
      text: 'We’re checking who sent this. Reload in a minute.',
    }
  if (verdict.dmarc === 'pass') return { kind: 'good', label: 'Verified sender', text: `Sent by ${domain}.` }
  if (verdict.dmarc === 'fail' && verdict.arc !== 'pass')
    return {
      kind: 'bad',
      label: 'Sender check failed',
      text: `This may not be from ${domain}. Forwarding can cause this, but so can a fake. Before you pay or share details, call a number you already have.`,
    }
  return {
    kind: 'unknown',
    label: 'Sender not verified',
    text: 'This is common. Before you pay or share details, call a number you already have.',
  }
}

/** Whether the sender's domain is verified; undefined while the check is pending. */
export function isAuthentic(verdict: Authenticity | undefined): boolean | undefined {
  if (verdict === undefined || verdict.dmarc === 'pending') return undefined
  return verdict.aligned ?? verdict.dmarc === 'pass'
}

export type Original = {
  writer: Mailbox
  /** Whether a member verifiably forwarded it. If not, anyone could have forged `writer`. */
  isVerified: boolean
}

/** The original sender of a forwarded message; undefined if it was not forwarded. */
export function originalOf({ sender, originalSender, originalVerified = false }: MessageSummary): Original | undefined {
  if (originalSender === undefined || isSame(originalSender, sender)) return undefined
  return { writer: originalSender, isVerified: originalVerified }
}

function isSame(one: Mailbox, other: Mailbox | undefined): boolean {
  return one.address.toLowerCase() === other?.address.toLowerCase()
}

export function senderName(mailbox: Mailbox | undefined): string {
  return mailbox?.name || mailbox?.address || 'Unknown sender'
}
