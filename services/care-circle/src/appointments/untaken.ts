import { DAY_MS } from '@family-inbox/service-kit/time/days'
import type { Context } from '../context.ts'
import { type Appointment, FAMILY } from '../models/appointment.ts'
import { untakenEventsId } from '../models/untaken-events.ts'

/** When the stream is lost, inbox publishes the events of a month of mail once more. */
const REMOVED_FOR_MS = 40 * DAY_MS
const MOST_MS = 2 * 366 * DAY_MS

type Untaken = Pick<Appointment, 'workspaceId' | 'lovedOneId' | 'uidHash' | 'owner' | 'messageIds' | 'lastEndsAt'>

/** Lets the pages of the mails say that these are not in the calendar. `removed`: a member wanted that. */
export async function recordUntaken({ untakenEvents }: Context, rows: Untaken[], removed = false): Promise<void> {
  const now = Date.now()
  const least = now + (removed ? REMOVED_FOR_MS : 0)
  const updates = rows.flatMap((row) => {
    const { workspaceId, lovedOneId, uidHash, owner, lastEndsAt } = row
    const expiresAt = new Date(Math.min(Math.max(lastEndsAt.getTime(), least), now + MOST_MS))
    const update = {
      $set: { workspaceId, lovedOneId, ...(removed && { removedAt: new Date(now) }) },
      $addToSet: { events: { uidHash, owner } },
      $max: { expiresAt },
    }
    return row.messageIds.map((id) => ({
      updateOne: { filter: { _id: untakenEventsId(row, id) }, update, upsert: true },
    }))
  })
  if (updates.length > 0) await untakenEvents.bulkWrite(updates, { ordered: false })
}

/** After another mail, or the same one later, brought it into the calendar. */
export async function forgetUntaken({ untakenEvents }: Context, row: Omit<Untaken, 'messageIds'>): Promise<void> {
  const { workspaceId, lovedOneId, uidHash, owner } = row
  const filter = { workspaceId, lovedOneId, 'events.uidHash': uidHash }
  await untakenEvents.updateMany(filter, { $pull: { events: { uidHash, owner } } })
}

/** Whether a member removed what this mail planned. */
export async function isRemoved({ untakenEvents }: Context, row: Untaken): Promise<boolean> {
  const ids = row.messageIds.map((id) => untakenEventsId(row, id))
  return (await untakenEvents.exists({ _id: { $in: ids }, removedAt: { $exists: true } })) !== null
}

type Mail = Pick<Appointment, 'workspaceId' | 'lovedOneId'> & { messageId: string }

/** How many of a mail's events are not in the calendar, less those that were added by hand from its page. */
export async function countUntaken({ untakenEvents, appointments }: Context, mail: Mail): Promise<number> {
  const { workspaceId, lovedOneId, messageId } = mail
  const row = await untakenEvents
    .findOne({ _id: untakenEventsId(mail, messageId), expiresAt: { $gt: new Date() } })
    .lean()
  if (row === null || row.events.length === 0) return 0
  const added = await appointments.countDocuments({ workspaceId, lovedOneId, messageIds: messageId, owner: FAMILY })
  return Math.max(0, row.events.length - added)
}
