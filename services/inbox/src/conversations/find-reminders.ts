import type { Reminder } from '@family-inbox/proto/inbox/v1/inbox'
import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { findReminderStates } from './end-reminders.ts'

/** The coming reminders of these messages, the next one first, with those that would still come had mail not ended them. */
export async function findReminders(ctx: Context, messageRowIds: string[]): Promise<Reminder[]> {
  // A day lasts until it has ended everywhere.
  const day = new Date(Date.now() - DAY_MS / 2).toISOString().slice(0, 10)
  const rows = await ctx.reminders
    .find({ messageRowId: { $in: messageRowIds }, day: { $gte: day } })
    .sort({ day: 1 })
    .limit(50)
    .lean()
  const stateOf = await findReminderStates(ctx, rows)
  return rows.flatMap((row) => {
    const { _id, day, onlyIfUnanswered, name } = row
    const { isWanted, endedByMailAt, hasNewMail } = stateOf(row)
    if (!isWanted && endedByMailAt === undefined) return []
    return { id: _id, day, onlyIfUnanswered, name, endedByMailAt, hasNewMail }
  })
}
