import { senderOf } from '@family-inbox/mail-reader/authenticity/sender-of'
import { SenderProof } from '@family-inbox/proto/calendar/v1/calendar_change'
import { FINISHED } from '@family-inbox/workspace-kit/status-rule'
import type { Context } from '../context.ts'
import { findMembers } from '../finding/find-conversations.ts'
import { messageIdKey } from '../models/conversation-keys.ts'
import { conversationOf, type Message, messageRowId } from '../models/message.ts'
import type { Reminder } from '../models/reminder.ts'
import { ANSWERS } from '../models/reply.ts'
import { type Answers, type ReminderState, reminderState } from './reminder-rule.ts'

const MAX_NAMING = 200

type Place = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'conversationId'>

/** Ends the reminders of a conversation that is done, so that opening it again does not bring them back. */
export async function endReminders(ctx: Context, message: Place): Promise<void> {
  const ids = await findConversation(ctx, message)
  await ctx.reminders.deleteMany({ messageRowId: { $in: ids }, onlyIfUnanswered: true })
}

/** The reminders that are still wanted: not removed, and nobody has answered. */
export async function stillWanted(ctx: Context, reminders: Reminder[]): Promise<Reminder[]> {
  const stateOf = await findReminderStates(ctx, reminders)
  return reminders.filter((reminder) => stateOf(reminder).isWanted)
}

/** A reminder of a message that is gone is not wanted, if it depends on answers. */
export async function findReminderStates(
  ctx: Context,
  reminders: Reminder[],
): Promise<(reminder: Reminder) => ReminderState> {
  const conditional = reminders.filter(({ onlyIfUnanswered }) => onlyIfUnanswered)
  const answersTo = await findAnswers(ctx, [...new Set(conditional.map(({ messageRowId }) => messageRowId))])
  return (reminder) => {
    if (!reminder.onlyIfUnanswered) return { isWanted: true }
    const answers = answersTo.get(reminder.messageRowId)
    return answers === undefined ? { isWanted: false } : reminderState(reminder, answers)
  }
}

const SENDER_FIELDS = { from: 1, originalSender: 1, forwardedByMember: 1, authenticity: 1 } as const
const FIELDS = {
  workspaceId: 1,
  lovedOneId: 1,
  receivedAt: 1,
  conversationId: 1,
  messageIdHeader: 1,
  ...SENDER_FIELDS,
} as const
/** An automatic answer is not one. */
const NOT_AUTOMATIC = { autoSubmitted: { $in: [null, 'no'] } }

type Sender = Pick<Message, keyof typeof SENDER_FIELDS>
type Named = Place & Pick<Message, 'messageIdHeader'>
type Mail = Sender & Pick<Message, 'receivedAt'>

/** By message, but read once for each conversation. */
async function findAnswers(ctx: Context, messageRowIds: string[]): Promise<Map<string, Answers>> {
  if (messageRowIds.length === 0) return new Map()
  const messages = await ctx.messages.find({ _id: { $in: messageRowIds } }, FIELDS).lean<(Named & Mail)[]>()
  const conversations = new Map<string, ReturnType<typeof readConversation>>()
  const found = messages.map(async (message) => {
    const conversation = messageRowId(message, conversationOf(message))
    const known = conversations.get(conversation) ?? readConversation(ctx, message)
    conversations.set(conversation, known)
    const [{ mails, ...rest }, naming] = await Promise.all([known, findNaming(ctx, message)])
    const answers = [...mails, ...naming]
      .map((mail) => ({ receivedAt: mail.receivedAt, isProvenAnswer: isProvenAnswer(mail, message) }))
      .sort((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())
    return [message._id, { ...rest, mails: answers }] as const
  })
  return new Map(await Promise.all(found))
}

/** Only the address proves that the same sender writes again: anyone can use their name or name their Message-ID. */
export function isProvenAnswer(mail: Sender, to: Sender): boolean {
  const { sender, proof } = senderOf(mail)
  const isSame = sender.address.toLowerCase() === senderOf(to).sender.address.toLowerCase()
  return proof !== SenderProof.UNSPECIFIED && isSame
}

/** Mail that names the message as the one it answers, also if it has not proven that it belongs to its conversation. */
async function findNaming({ indexEntries, messages }: Context, message: Named): Promise<Mail[]> {
  const { _id, workspaceId, lovedOneId, receivedAt, messageIdHeader } = message
  if (messageIdHeader === undefined) return []
  const naming = { workspaceId, lovedOneId, conversation: messageIdKey(messageIdHeader), _id: { $ne: _id } }
  const entries = await indexEntries.find(naming, { _id: 1 }).limit(MAX_NAMING).lean()
  const ids = entries.map((entry) => entry._id)
  if (ids.length === 0) return []
  return messages
    .find({ _id: { $in: ids }, receivedAt: { $gt: receivedAt }, ...NOT_AUTOMATIC }, { receivedAt: 1, ...SENDER_FIELDS })
    .lean<Mail[]>()
}

async function readConversation(ctx: Context, message: Place) {
  const messageRowIds = await findConversation(ctx, message)
  const [reply, mails, status] = await Promise.all([
    ctx.replies
      .findOne({ messageRowId: { $in: messageRowIds }, ...ANSWERS }, { createdAt: 1 })
      .sort({ createdAt: -1 })
      .lean(),
    ctx.messages
      .find({ _id: { $in: messageRowIds }, ...NOT_AUTOMATIC }, { receivedAt: 1, ...SENDER_FIELDS })
      .sort({ receivedAt: 1 })
      .lean<Mail[]>(),
    ctx.conversationStatuses.findById(messageRowId(message, conversationOf(message)), { status: 1 }).lean(),
  ])
  const isFinished = status !== null && FINISHED.includes(status.status)
  return { repliedAt: reply?.createdAt, mails, isFinished }
}

async function findConversation(ctx: Context, message: Place): Promise<string[]> {
  const { workspaceId, lovedOneId } = message
  const grouped = await findMembers(ctx, { workspaceId, lovedOneIds: [lovedOneId] }, [message])
  return [...grouped.values()].flat().map(({ _id }) => _id)
}
