import type { Context } from '../context.ts'
import { finishClaim } from './finish-claim.ts'

/**
 * Removes sandboxes whole: workspace, loved one and synthetic owner, then mail and address, then the row here. care-circle
 * decides: a workspace somebody claimed at this very moment is left alone, and its claim finished.
 * @param workspaceIds of rows whose state is `removing`
 * @throws when a part of the system is away; the rows stay, and removing them again does no harm
 */
export async function removeSandboxes(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const { claimedWorkspaceIds } = await ctx.careCircle.removeSandboxWorkspaces({ workspaceIds })
  const removed = workspaceIds.filter((id) => !claimedWorkspaceIds.includes(id))
  await ctx.inbox.removeSandboxInboxes({ workspaceIds: removed })
  await ctx.sandboxes.deleteMany({ _id: { $in: removed }, state: 'removing' })
  for (const id of claimedWorkspaceIds) await finishClaim(ctx, id)
}

/** Deletes what is remembered of a claimed sandbox whose household was deleted. */
export async function removeSandboxOf(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.sandboxes.deleteOne({ _id: workspaceId, state: 'claimed' })
}
