import { type Mailbox, type MessageSummary, SenderCheck } from '@family-inbox/proto/inbox/v1/inbox'
import { nameOfSender } from '@family-inbox/workspace-kit/sender-name'
import { type Html, html } from '../shell/html.ts'

type CheckWords = {
  kind: 'good' | 'unknown' | 'pending' | 'bad'
  label: string
  text: string
}

/** Words for the check of the sender's domain, which forwarding often breaks. Inbox decides what it proves. */
export function checkWords(check: SenderCheck | undefined, domain: string): CheckWords {
  if (check === SenderCheck.VERIFIED) return { kind: 'good', label: 'Verified sender', text: `Sent by ${domain}.` }
  if (check === SenderCheck.FAILED)
    return {
      kind: 'bad',
      label: 'Sender check failed',
      text: `This may not be from ${domain}. Forwarding can cause this, but so can a fake. Before you pay or share details, call a number you already have.`,
    }
  if (check === SenderCheck.NOT_VERIFIED || check === SenderCheck.IMPOSSIBLE)
    return {
      kind: 'unknown',
      label: 'Sender not verified',
      text: 'This is common. Before you pay or share details, call a number you already have.',
    }
  return {
    kind: 'pending',
    label: 'Checking sender',
    text: 'We’re checking who sent this. Reload in a minute.',
  }
}

/** Whether the sender is verified; undefined while the check is pending. */
export function isVerified({ check = SenderCheck.UNSPECIFIED }: MessageSummary): boolean | undefined {
  return check === SenderCheck.UNSPECIFIED ? undefined : check === SenderCheck.VERIFIED
}

/** The word for the check beside a sender, where there is no place for its sentence. */
export function senderCheck(message: MessageSummary | undefined): { isVerified: boolean; label: string; shown: Html } {
  const { kind, label } = checkWords(message?.check, '')
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

/** The name or, without one that may stand for the sender, the address. */
export function senderName(mailbox: Mailbox | undefined): string {
  return (mailbox && (nameOfSender(mailbox) || mailbox.address)) || 'Unknown sender'
}

/** The address, unless `senderName` is the address. */
export function addressBeside(mailbox: Mailbox | undefined): string {
  return mailbox !== undefined && nameOfSender(mailbox) !== '' ? mailbox.address : ''
}
