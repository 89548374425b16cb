import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'

/** Whoever leaves reads no calendar, opens no emergency sheet, goes to no appointment, and takes care of no to-do and no urgent event. */
export async function forgetMember(
  ctx: Context,
  { workspaceId, personId }: Pick<Member, 'workspaceId' | 'personId'>,
  session: ClientSession,
): Promise<void> {
  await ctx.calendarFeeds.deleteMany({ workspaceId, personId }, { session })
  await ctx.emergencyLinks.deleteMany({ workspaceId, createdBy: personId }, { session })
  await ctx.appointments.updateMany(
    { workspaceId, 'going.personId': personId },
    { $pull: { going: { personId }, noticeTo: { personId } } },
    { session },
  )
  await ctx.toDos.updateMany(
    { workspaceId, assigneeId: personId },
    { $set: { status: 'open' }, $unset: { assigneeId: 1, changedBy: 1, changedAt: 1 } },
    { session },
  )
  await ctx.careEvents.updateMany(
    { workspaceId, urgent: true, 'taken.personId': personId },
    { $unset: { taken: 1 } },
    { session },
  )
}
