import type { CalendarChange } from '@family-inbox/proto/calendar/v1/calendar_change'
import type { Context } from '../context.ts'

/** Forgets a mail that the family moved to Junk, and what it alone is about. What a member plans to go to stays. Idempotent. */
export async function withdrawMail({ appointments }: Context, change: CalendarChange): Promise<void> {
  const { workspaceId, lovedOneId, messageId } = change
  const own = { workspaceId, lovedOneId }
  await appointments.deleteMany({
    ...own,
    messageIds: [messageId],
    proof: { $ne: 'member' },
    'going.0': { $exists: false },
  })
  await appointments.updateMany({ ...own, messageIds: messageId }, { $pull: { messageIds: messageId } })
}
