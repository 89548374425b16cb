import { deleteRows } from '@family-inbox/service-kit/delete-rows'
import type { Context } from '../context.ts'

/** Deletes what is left of a household here: what may be too much for one transaction, and what came while it ended. */
export async function forgetHousehold(ctx: Context, workspaceId: string): Promise<void> {
  const { careEvents, deadEvents, invitations, providerCodes, lovedOnes, members } = ctx
  // Loved ones first: an event of one who is gone is dropped, so that none comes after its deletion.
  for (const { collection } of [lovedOnes, careEvents, deadEvents, invitations, providerCodes, members])
    await deleteRows(collection, { workspaceId })
  // The invited address is in their keys.
  const allowances = { $gte: `address/${workspaceId}/`, $lt: `address/${workspaceId}0` }
  await ctx.mailAllowances.deleteMany({ $or: [{ _id: `household/${workspaceId}` }, { _id: allowances }] })
}
