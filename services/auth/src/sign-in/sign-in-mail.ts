import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import { showCode } from './sign-in-code.ts'

/**
 * The mail with a sign-in code. The code is not in the subject, which a locked phone shows to whoever holds it.
 * @param id derived from the challenge, so that queueing it twice mails it once
 */
export function signInMail(id: string, address: string, code: string): OutgoingMail {
  return {
    id,
    kind: MailKind.SIGN_IN_CODE,
    workspaceId: '',
    toAddress: address,
    toName: '',
    fromName: 'Family Care Inbox',
    replyTo: '',
    subject: 'Your code to sign in',
    text: [
      'This is your code to sign in to Family Care Inbox:',
      `    ${showCode(code)}`,
      'It works once, for 10 minutes, in the browser you asked for it with. Nobody from Family Care Inbox will ever ask you for it.',
      'If you did not ask for it, you can ignore this mail: nobody can sign in as you without the code.',
    ].join('\n\n'),
    actionLabel: '',
    actionUrl: '',
    inReplyTo: '',
    references: [],
  }
}
