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
  const wanted: Reminder[] = []
  for (const reminder of reminders) {
    const answers = reminder.onlyIfUnanswered ? await findAnswers(ctx, reminder) : NONE
    if (answers !== undefined && !isAnswered(reminder, answers)) wanted.push(reminder)
  }
  return wanted
}

const NONE: Answers = { repliedAt: undefined, mailAt: undefined, isFinished: false }

async function findAnswers(ctx: Context, { messageRowId: id }: Reminder): Promise<Answers | undefined> {
  const fields = { workspaceId: 1, lovedOneId: 1, receivedAt: 1, conversationId: 1 }
  const message = await ctx.messages.findById(id, fields).lean<Row | null>()
  if (message === null) return undefined
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
