import type { Context } from '../context.ts'
import { conversationOf, findMembers } from '../conversations/find-conversations.ts'
import { FINISHED } from '../conversations/status-rule.ts'
import { type Message, messageRowId } from '../models/message.ts'
import type { Reminder } from '../models/reminder.ts'
import { type Answers, isAnswered } from './reminder-rule.ts'

type Row = Pick<Message, '_id' | 'workspaceId' | 'lovedOneId' | 'receivedAt' | 'conversationId'>

/** Ends the reminders of a conversation that is done, so that opening it again does not bring them back. */
export async function endReminders(ctx: Context, message: Row): Promise<void> {
  const ids = await findConversation(ctx, message)
  await ctx.reminders.deleteMany({ messageRowId: { $in: ids }, onlyIfUnanswered: true })
}

/** The reminders that are still wanted: not removed, and nobody has answered. */
export async function stillWanted(ctx: Context, reminders: Reminder[]): Promise<Reminder[]> {
  const conditional = reminders.filter(({ onlyIfUnanswered }) => onlyIfUnanswered)
  const answersTo = await findAnswers(ctx, [...new Set(conditional.map(({ messageRowId }) => messageRowId))])
  return reminders.filter((reminder) => {
    if (!reminder.onlyIfUnanswered) return true
    const answers = answersTo.get(reminder.messageRowId)
    return answers !== undefined && !isAnswered(reminder, answers)
  })
}

const FIELDS = { workspaceId: 1, lovedOneId: 1, receivedAt: 1, conversationId: 1 } as const

/** By message, but read once for each conversation. */
async function findAnswers(ctx: Context, messageRowIds: string[]): Promise<Map<string, Answers>> {
  if (messageRowIds.length === 0) return new Map()
  const messages = await ctx.messages.find({ _id: { $in: messageRowIds } }, FIELDS).lean<Row[]>()
  const answers = new Map<string, Promise<Answers>>()
  const found = messages.map(async (message) => {
    const conversation = messageRowId(message, conversationOf(message))
    const known = answers.get(conversation) ?? findAnswersIn(ctx, message)
    answers.set(conversation, known)
    return [message._id, await known] as const
  })
  return new Map(await Promise.all(found))
}

async function findAnswersIn(ctx: Context, message: Row): Promise<Answers> {
  const messageRowIds = await findConversation(ctx, message)
  const [reply, mail, status] = await Promise.all([
    ctx.replies
      .findOne({ messageRowId: { $in: messageRowIds } }, { createdAt: 1 })
      .sort({ createdAt: -1 })
      .lean(),
    // An automatic answer is not one.
    ctx.messages
      .findOne({ _id: { $in: messageRowIds }, autoSubmitted: { $in: [null, 'no'] } }, { receivedAt: 1 })
      .sort({ receivedAt: -1 })
      .lean(),
    ctx.conversationStatuses.findById(messageRowId(message, conversationOf(message)), { status: 1 }).lean(),
  ])
  const isFinished = status !== null && FINISHED.includes(status.status)
  return { repliedAt: reply?.createdAt, mailAt: mail?.receivedAt, isFinished }
}

async function findConversation(ctx: Context, message: Row): Promise<string[]> {
  const { workspaceId, lovedOneId } = message
  const grouped = await findMembers(ctx, { workspaceId, lovedOneIds: [lovedOneId] }, [message])
  return [...grouped.values()].flat().map(({ _id }) => _id)
}
