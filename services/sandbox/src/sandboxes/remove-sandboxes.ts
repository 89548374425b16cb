import type { Context } from '../context.ts'
import { finishClaim } from './claims.ts'

/**
 * Deletes workspaces with their loved one and synthetic owner, then mail and address, then the row. If someone claims one
 * at this moment, care-circle keeps it, and the claim is finished instead. Idempotent.
 * @param workspaceIds of rows in state `removing`
 * @throws when a service is unavailable; the rows stay
 */
export async function removeSandboxes(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const { claimedWorkspaceIds } = await ctx.careCircle.removeSandboxWorkspaces({ workspaceIds })
  const removed = workspaceIds.filter((id) => !claimedWorkspaceIds.includes(id))
  await ctx.inbox.removeSandboxInboxes({ workspaceIds: removed })
  await ctx.sandboxes.deleteMany({ _id: { $in: removed }, state: 'removing' })
  for (const id of claimedWorkspaceIds) await finishClaim(ctx, id)
}

/** Deletes the row of a claimed sandbox after its workspace was deleted. */
export async function removeSandboxOf(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.sandboxes.deleteOne({ _id: workspaceId, state: 'claimed' })
}
