import type { Authenticity } from '@family-inbox/proto/inbox/v1/inbox'

export type AuthenticityWords = {
  kind: 'good' | 'unknown' | 'pending' | 'bad'
  label: string
  /** A sentence that explains it, and what to do. */
  text: string
}

/**
 * What SPF, DKIM and DMARC found, in words. Only DMARC holds the address people see against what was signed or sent (RFC 7489
 * section 3), so only its word counts; that forwarding breaks it is no reason for alarm.
 * @param domain of the sender's address
 */
export function authenticityWords(verdict: Authenticity | undefined, domain: string): AuthenticityWords {
  if (verdict === undefined || verdict.dmarc === 'pending')
    return {
      kind: 'pending',
      label: 'Being checked',
      text: 'We are finding out whether it really comes from where it says. Look again in a minute.',
    }
  if (verdict.dmarc === 'pass') return { kind: 'good', label: 'Authentic', text: `It really was sent by ${domain}.` }
  if (verdict.dmarc === 'fail' && verdict.arc !== 'pass')
    return {
      kind: 'bad',
      label: 'Not confirmed by its sender',
      text: `${domain} does not vouch for it. Forwarding can cause this, and so can a fake: before you pay or tell anything, call them on a number you know.`,
    }
  return {
    kind: 'unknown',
    label: 'Cannot be confirmed',
    text: 'Nothing proves who sent it, which is common. Before you pay or tell anything, call them on a number you know.',
  }
}

/** Whether the domain of the sender's address vouches for a mail; undefined until that is known. */
export function isAuthentic(verdict: Authenticity | undefined): boolean | undefined {
  if (verdict === undefined || verdict.dmarc === 'pending') return undefined
  return verdict.aligned ?? verdict.dmarc === 'pass'
}
