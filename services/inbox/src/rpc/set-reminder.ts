import type { SetReminderRequest, SetReminderResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { messageRowId } from '../models/message.ts'
import { reminderId } from '../models/reminder.ts'
import { firstMorningOf, requireReminderDay } from '../reminders/reminder-rule.ts'
import { messageNotFound } from '../to-wire.ts'

/** For each message. */
const MAX_REMINDERS = 10
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/** Reminds the family of a message in the morning of a day. Repeating the request adds nothing. Owner and coordinators only. */
export function setReminder(ctx: Context): Handler<SetReminderRequest, SetReminderResponse> {
  return async ({ messageId, lovedOneId, timeZone, onlyIfUnanswered, ...request }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { lovedOneId, write: true })
    const day = requireReminderDay(request.day, timeZone, new Date())
    const rowId = messageRowId({ workspaceId, lovedOneId }, messageId)
    if ((await ctx.messages.exists({ _id: rowId })) === null) throw messageNotFound()
    const wanted = { messageRowId: rowId, day, onlyIfUnanswered }
    const id = reminderId(wanted)
    const coming = { messageRowId: rowId, _id: { $ne: id }, dueAt: { $exists: true } }
    if ((await ctx.reminders.countDocuments(coming, { limit: MAX_REMINDERS })) >= MAX_REMINDERS)
      throw new StatusError('RESOURCE_EXHAUSTED', 'This message has enough reminders. Remove one first.')
    const by = { workspaceId, lovedOneId, personId, name, timeZone }
    await insertOnce(ctx.reminders.collection, [{ _id: id, ...by, ...wanted, ...timesOf(day) }])
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    return { reminderId: id }
  }
}

function timesOf(day: string) {
  const dueAt = firstMorningOf(day)
  return { createdAt: new Date(), dueAt, keptUntil: new Date(dueAt.getTime() + KEPT_MS) }
}
