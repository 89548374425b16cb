import { deleteRows } from '@family-inbox/service-kit/delete-rows'
import type { Context } from '../context.ts'

/** Deletes what is kept here about a person alone: what they read, and what they want to be told. Replies stay the family's. */
export async function forgetPerson(ctx: Context, personId: string): Promise<void> {
  await ctx.notificationSettings.deleteMany({ personId })
  await ctx.mailAllowances.deleteOne({ _id: `person/${personId}` })
  await deleteRows(ctx.readMarks.collection, { _id: { $gte: `${personId}/`, $lt: `${personId}0` } })
  await deleteRows(ctx.readFloors.collection, { _id: { $gte: `${personId}/`, $lt: `${personId}0` } })
}
