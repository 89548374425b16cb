import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { showCode } from './sign-in-code.ts'

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
