import type { MailRecipient } from '@family-inbox/proto/carecircle/v1/care_circle'
import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import { trySpendRateLimits } from '@family-inbox/service-kit/mongo/rate-limit'
import { HOUR_MS } from '@family-inbox/service-kit/time/days'
import { deriveMailId, fromService } from '@family-inbox/workspace-kit/outgoing-mail'
import type { Context } from '../context.ts'
import type { AnswerAddress } from '../models/answer-address.ts'
import { publicIdOf } from '../models/message.ts'

/** Nothing of the message, and nobody's name: mail is not a safe place for it. */
const WORDS = {
  unproven:
    'Somebody wrote to the private address of a notification that we sent you. We couldn’t be sure that it was you. If it was, answer with the mail program of this address, or on the page. If it wasn’t, there is nothing to do.',
  addressed: 'It was written to others, too. An answer goes to the address of the notification alone.',
  ended: 'A notification can be answered by email for 14 days. This one is older.',
  off: 'You turned off answering by email in your notification settings.',
  empty: 'It had no text of your own.',
  unreadable: 'We couldn’t read it: it was encrypted, damaged or very long.',
  quoted: 'We couldn’t tell your own words from the email you answered. Write above it, and delete it below.',
  viewer: 'You can add notes here, but not reply. For a note, write “note” alone on the first line.',
  gone: 'The message is no longer in the inbox.',
  finished: 'Somebody in your family has finished this conversation since.',
  limit: 'A limit was reached. The page says which, and when you can try again.',
  recipient: 'Nothing can be sent to its sender. The page says why.',
  unsure: 'We couldn’t prove where it would go. The page shows the address, so answer there.',
  long: 'It was too long.',
  files: 'It had files that can’t be sent. Pictures and PDFs can, up to 20 files with 20 MB together.',
  'note-files': 'It was a note, and a note can’t have files.',
} as const

/** Why what somebody wrote to the address of a notification was not sent. */
export type Reason = keyof typeof WORDS

export function isReason(name: string | undefined): name is Reason {
  return name !== undefined && Object.hasOwn(WORDS, name)
}

const ONE_AN_HOUR = [{ most: 1, ms: HOUR_MS }]

/**
 * Tells the member at their own address, whoever wrote: at most once an hour for each notification, and once for each mail, whose key
 * this is. On return, it is on the queue's disk.
 */
export async function tellNotSent(
  ctx: Context,
  { _id, workspaceId, lovedOneId, messageRowId }: AnswerAddress,
  member: MailRecipient,
  key: string,
  reason: Reason,
): Promise<void> {
  const limit = { _id: `not-sent/${_id}`, windows: ONE_AN_HOUR }
  if (!(await trySpendRateLimits(ctx.mailLimits, [limit], key))) return
  await ctx.mailQueue.send({
    id: deriveMailId('not-sent', [_id, key]),
    kind: MailKind.NOT_SENT,
    workspaceId,
    ...fromService(member),
    subject: 'Your answer by email was not sent',
    text: [
      WORDS[reason],
      'Nothing was sent or added. We don’t keep your email: its text is in your own sent mail.',
      'You get this at most once an hour for each notification.',
    ].join('\n\n'),
    actionLabel: 'Open message',
    actionUrl: `${ctx.config.inboxUrl}/inbox/${lovedOneId}/${publicIdOf({ _id: messageRowId })}`,
  })
}
