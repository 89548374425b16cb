import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Member } from '../models/member.ts'

/** A member who leaves reads no calendar, opens no emergency sheet, goes to no appointment and takes care of no urgent event. */
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
  await ctx.careEvents.updateMany(
    { workspaceId, urgent: true, 'taken.personId': personId },
    { $unset: { taken: 1 } },
    { session },
  )
}
