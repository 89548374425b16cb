import type { Reminder } from '@family-inbox/proto/inbox/v1/inbox'
import type { Context } from '../context.ts'
import { stillWanted } from './end-reminders.ts'

const DAY_MS = 86_400_000

/** The coming reminders of these messages, the next one first. */
export async function findReminders(ctx: Context, messageRowIds: string[]): Promise<Reminder[]> {
  // A day lasts until it has ended everywhere.
  const day = new Date(Date.now() - DAY_MS / 2).toISOString().slice(0, 10)
  const rows = await ctx.reminders
    .find({ messageRowId: { $in: messageRowIds }, day: { $gte: day } })
    .sort({ day: 1 })
    .limit(50)
    .lean()
  const wanted = await stillWanted(ctx, rows)
  return wanted.map(({ _id, day, onlyIfUnanswered, name }) => ({ id: _id, day, onlyIfUnanswered, name }))
}
