import { createHmac } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Context } from '../context.ts'
import { answerAddressId, formatAnswerAddress } from '../models/answer-address.ts'
import type { Message } from '../models/message.ts'
import type { NotificationSetting } from '../models/notification-setting.ts'
import { RECIPIENT_FIELDS, resolveReplyTo } from '../models/reply-to.ts'

/** Quoted below an answer, it would show that the quote was not found. */
export const FOR_PRIVACY = 'For privacy, this email doesn’t include the messages.'

export type AnswerOffer = {
  /** Empty if the notification cannot be answered. */
  replyTo: string
  /** The line that says so. */
  line: string
}

const NO_OFFER: AnswerOffer = {
  replyTo: '',
  line: 'To answer, open the message in your inbox: a reply to this email doesn’t arrive.',
}

type Notified = {
  setting: Pick<NotificationSetting, 'workspaceId' | 'personId' | 'answersOff'>
  /** The role of its reader. */
  role: Role | undefined
  family: string
  mailId: string
  /** The rows of the messages that it is about: an address can mean only one. */
  messageRowIds: string[]
}

/**
 * The address at which a notification can be answered. Its secret derives from the mail's id, so that a retry writes the same mail.
 * Who the answer goes to is not named: a clinic's name can say what somebody has.
 */
export async function offerAnswer(ctx: Context, notified: Notified): Promise<AnswerOffer> {
  const { setting, role, family, mailId } = notified
  const [messageRowId, ...others] = notified.messageRowIds
  if (setting.answersOff || messageRowId === undefined || others.length > 0) return NO_OFFER
  const message = await ctx.messages
    .findById(messageRowId, { lovedOneId: 1, ...RECIPIENT_FIELDS })
    .lean<Pick<Message, 'lovedOneId' | keyof typeof RECIPIENT_FIELDS> | null>()
  if (message === null || resolveReplyTo(message, ctx.config) === undefined) return NO_OFFER
  const secret = createHmac('sha256', ctx.config.answerAddressKey).update(mailId).digest('hex')
  const replyTo = formatAnswerAddress(secret, ctx.config)
  const { workspaceId, personId } = setting
  const row = {
    _id: answerAddressId(replyTo, ctx.config) ?? '',
    workspaceId,
    lovedOneId: message.lovedOneId,
    personId,
    messageRowId,
    createdAt: new Date(),
  }
  await insertOnce(ctx.answerAddresses.collection, [row])
  return { replyTo, line: lineFor(role, family) }
}

function lineFor(role: Role | undefined, family: string): string {
  if (role === Role.OWNER || role === Role.COORDINATOR)
    return `Your reply to this email goes to whoever wrote the message, in the name of ${family}. To add a note for your family instead, write “note” alone on the first line.`
  return 'To add a note for your family, reply to this email and write “note” alone on the first line.'
}
