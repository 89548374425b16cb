import type { Authenticity, Mailbox, MessageSummary } from '@family-inbox/proto/inbox/v1/inbox'
import { nameOfSender } from '@family-inbox/workspace-kit/sender-name'
import { type Html, html } from '../shell/html.ts'

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
  if (verdict.dmarc === 'pass' && isAuthentic(verdict))
    return { kind: 'good', label: 'Verified sender', text: `Sent by ${domain}.` }
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

/** The word for the check beside a sender, where there is no place for its sentence. */
export function senderCheck(verdict: Authenticity | undefined): { isVerified: boolean; label: string; shown: Html } {
  const { kind, label } = authenticityWords(verdict, '')
  return { isVerified: kind === 'good', label, shown: html`<span class="check ${kind}">${label}</span>` }
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

export function isSame(one: Mailbox | undefined, other: Mailbox | undefined): boolean {
  return one?.address.toLowerCase() === other?.address.toLowerCase()
}

export function isSameDomain(one: Mailbox | undefined, other: Mailbox | undefined): boolean {
  return domainOf(one) !== '' && domainOf(one) === domainOf(other)
}

/** Empty without an address. */
export function domainOf({ address }: Mailbox = { name: '', address: '' }): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** The name or, without one that may stand for the sender, the address. */
export function senderName(mailbox: Mailbox | undefined): string {
  return (mailbox && (nameOfSender(mailbox) || mailbox.address)) || 'Unknown sender'
}

/** The address, unless `senderName` is the address. */
export function addressBeside(mailbox: Mailbox | undefined): string {
  return mailbox !== undefined && nameOfSender(mailbox) !== '' ? mailbox.address : ''
}
