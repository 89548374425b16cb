import type { Context } from '../context.ts'
import { finishClaim } from './finish-claim.ts'

/**
 * Finds out how claims ended that were begun and not finished: care-circle knows. What nobody owns is open again, until it
 * expires.
 * @param workspaceIds of rows whose state is `claiming`
 */
export async function settleClaims(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const unclaimed = await ctx.careCircle.listUnclaimedWorkspaces({ workspaceIds })
  await ctx.sandboxes.collection.updateMany({ _id: { $in: unclaimed.workspaceIds as never[] }, state: 'claiming' }, [
    { $set: { state: 'open', dueAt: '$expiresAt' } },
  ])
  for (const id of workspaceIds) if (!unclaimed.workspaceIds.includes(id)) await finishClaim(ctx, id)
}
