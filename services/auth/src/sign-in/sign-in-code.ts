import { randomInt } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'

/**
 * With 5 tries a code, and 20 codes an address and day, an attacker who does nothing else for a year finds the code of one
 * address with a chance of 1 in 2,700; 6 digits would make it 1 in 27.
 */
const DIGITS = 8

export const CODE_TRIES = 5
export const CODE_LIFETIME_MS = 10 * 60_000

/** A new one-time code: digits, since any keyboard has them. */
export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

/** The code as it is shown: in two groups, to be read and typed without losing one's place. */
export function showCode(code: string): string {
  return `${code.slice(0, DIGITS / 2)} ${code.slice(DIGITS / 2)}`
}

/** The code a person typed, whatever they put between the groups. */
export function readCode(typed: string): string {
  return typed.normalize('NFKC').replaceAll(/[^0-9]/g, '')
}

type Code = {
  /** Derived from the challenge, so that queueing the mail twice mails it once. */
  id: string
  address: string
  code: string
  /** Whether it confirms a session rather than signs in. */
  confirms: boolean
}

/** The mail with a one-time code. The code is not in the subject: locked phones show subjects. */
export function codeMail({ id, address, code, confirms }: Code): OutgoingMail {
  const words = confirms ? CONFIRM : SIGN_IN
  return {
    id,
    kind: MailKind.SIGN_IN_CODE,
    workspaceId: '',
    toAddress: address,
    toName: '',
    fromName: 'Family Care Inbox',
    replyTo: '',
    subject: words.subject,
    text: [
      words.intro,
      `    ${showCode(code)}`,
      'It works once, for 10 minutes, in the browser where you asked for it. We will never ask you for this code.',
      words.unasked,
    ].join('\n\n'),
    actionLabel: '',
    actionUrl: '',
    inReplyTo: '',
    references: [],
  }
}

const SIGN_IN = {
  subject: 'Your sign-in code',
  intro: 'Your code to sign in to Family Care Inbox:',
  unasked: 'If you did not ask for it, you can ignore this email. Nobody can sign in as you without the code.',
}

const CONFIRM = {
  subject: 'Your confirmation code',
  intro: 'Your code to confirm a change in Family Care Inbox:',
  unasked:
    'If you did not ask for it, somebody may be using a device you are signed in on. Sign in, and look under Settings, Devices.',
}
