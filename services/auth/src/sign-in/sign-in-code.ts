import { randomInt } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'

/**
 * At 5 tries a code and 20 codes a day, a year of guessing one address succeeds with 1 in 2,700;
 * with 6 digits it would be 1 in 27.
 */
const DIGITS = 8

export const CODE_TRIES = 5
export const CODE_LIFETIME_MS = 10 * 60_000

export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

export function showCode(code: string): string {
  return `${code.slice(0, DIGITS / 2)} ${code.slice(DIGITS / 2)}`
}

export function readCode(typed: string): string {
  return typed.normalize('NFKC').replaceAll(/[^0-9]/g, '')
}

type Code = {
  /** Derived from the challenge, so queueing the mail twice sends it once. */
  id: string
  address: string
  code: string
  /** Confirms a session instead of signing in. */
  confirms: boolean
}

/** Writes the mail. The subject omits the code: locked phones show subjects. */
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
      'It works once, within 10 minutes, in the browser where you requested it. We will never ask you for this code.',
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
  intro: 'Your sign-in code for Family Care Inbox:',
  unasked: 'If you didn’t request it, you can ignore this email. Nobody can sign in without the code.',
}

const CONFIRM = {
  subject: 'Your confirmation code',
  intro: 'Your confirmation code for Family Care Inbox:',
  unasked:
    'If you didn’t request it, somebody may be using a device you’re signed in on. Sign in and check Settings, Devices.',
}
