import type { SetReminderRequest, SetReminderResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { insertOnce } from '@family-inbox/service-kit/mongo/rows'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { stillWanted } from '../conversations/end-reminders.ts'
import { firstMorningOf, requireReminderDay } from '../conversations/reminder-rule.ts'
import { messageNotFound, messageRowId } from '../models/message.ts'
import { type Reminder, reminderId, reminderNoticeId } from '../models/reminder.ts'

/** For each message. */
const MAX_REMINDERS = 10
const KEPT_MS = 30 * DAY_MS

/** Reminds the family of a message in the morning of a day. Repeating the request adds nothing. Owner and coordinators only. */
export function setReminder(ctx: Context): Handler<SetReminderRequest, SetReminderResponse> {
  return async ({ messageId, lovedOneId, timeZone, onlyIfUnanswered, ...request }, call) => {
    const { workspaceId, personId, name } = await ctx.requireMember(call, { lovedOneId, write: true })
    const day = requireReminderDay(request.day, timeZone, new Date())
    const rowId = messageRowId({ workspaceId, lovedOneId }, messageId)
    if ((await ctx.messages.exists({ _id: rowId })) === null) throw messageNotFound()
    const wanted = { messageRowId: rowId, day, onlyIfUnanswered }
    const id = reminderId(wanted)
    await requireFewReminders(ctx, rowId, id)
    await removeEnded(ctx, id)
    const by = { workspaceId, lovedOneId, personId, name, timeZone }
    await insertOnce(ctx.reminders.collection, [{ _id: id, ...by, ...wanted, ...timesOf(day) }])
    ctx.wake.notices()
    ctx.liveUpdates.announce(workspaceId, { lovedOneId })
    return { reminderId: id }
  }
}

async function requireFewReminders(ctx: Context, messageRowId: string, id: string): Promise<void> {
  const others = await ctx.reminders.find({ messageRowId, _id: { $ne: id }, dueAt: { $exists: true } }).lean()
  if (others.length < MAX_REMINDERS || (await stillWanted(ctx, others)).length < MAX_REMINDERS) return
  throw new StatusError('RESOURCE_EXHAUSTED', `A message can have ${MAX_REMINDERS} reminders. Remove one first.`)
}

/** Removes a reminder that nobody will get anymore, so that it can be set again. */
async function removeEnded(ctx: Context, _id: string): Promise<void> {
  const known = await ctx.reminders.findById(_id).lean()
  if (known === null || (await isComing(ctx, known))) return
  await ctx.reminders.deleteOne({ _id, createdAt: known.createdAt })
}

async function isComing(ctx: Context, reminder: Reminder): Promise<boolean> {
  if ((await stillWanted(ctx, [reminder])).length === 0) return false
  if (reminder.dueAt !== undefined) return true
  // The morning of some members is later than that of others.
  const { workspaceId } = reminder
  return (await ctx.noticeLists.exists({ workspaceId, 'notices.id': reminderNoticeId(reminder) })) !== null
}

function timesOf(day: string) {
  const dueAt = firstMorningOf(day)
  return { createdAt: new Date(), dueAt, keptUntil: new Date(dueAt.getTime() + KEPT_MS) }
}
