import { createHash } from 'node:crypto'
import { MailKind, type OutgoingMail } from '@family-inbox/proto/mail/v1/mail'
import type { NotificationSetting } from '../models/notification-setting.ts'

export type Notice = {
  setting: Pick<NotificationSetting, '_id' | 'workspaceId' | 'mode' | 'unsubscribeToken'>
  /** Until when it tells; with the setting it names the notice, so that writing it twice is writing it once. */
  upTo: Date
  recipient: { name: string; email: string }
  householdName: string
  /** Whom there is new mail for, and how much; at least one. */
  lovedOnes: { name: string; count: number }[]
  /** The application's address. */
  inboxUrl: string
}

/** The mail that says for whom there is new mail and how much, and nothing of what it says: a mail is not a safe place. */
export function newMailNotice({ setting, upTo, recipient, householdName, lovedOnes, inboxUrl }: Notice): OutgoingMail {
  const total = lovedOnes.reduce((sum, { count }) => sum + count, 0)
  const names = list.format(lovedOnes.map(({ name }) => name))
  const isDigest = setting.mode === 'digest'
  const each = lovedOnes.map(({ name, count }) => `${name}: ${messages(count)}`)
  return {
    id: `new-mail-${createHash('sha256').update(`${setting._id}\n${upTo.toISOString()}`).digest('hex').slice(0, 32)}`,
    kind: MailKind.NEW_MAIL,
    workspaceId: setting.workspaceId,
    toAddress: recipient.email,
    toName: recipient.name,
    fromName: 'Family Care Inbox',
    replyTo: '',
    subject: `${messages(total)} for ${names}`,
    text: [
      isDigest ? 'Since your last daily summary there is new mail:' : 'There is new mail:',
      each.join('\n'),
      'What it says is not in here, since a mail can be read by others on its way.',
      `You get this because you asked for it in ${householdName}. To change or end it: ${inboxUrl}/settings/notifications`,
    ].join('\n\n'),
    actionLabel: 'Open the inbox',
    actionUrl: `${inboxUrl}/`,
    inReplyTo: '',
    references: [],
    unsubscribeUrl: `${inboxUrl}/unsubscribe/${setting.unsubscribeToken}`,
  }
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })

function messages(count: number): string {
  return count === 1 ? '1 new message' : `${count} new messages`
}
