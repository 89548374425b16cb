import type { Context } from '../context.ts'
import { finishClaim } from './claims.ts'

/** Idempotent. If someone claims one at this moment, care-circle keeps it, and the claim is finished instead. */
export async function removeSandboxes(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  const { claimedWorkspaceIds } = await ctx.careCircle.removeSandboxWorkspaces({ workspaceIds })
  const removed = workspaceIds.filter((id) => !claimedWorkspaceIds.includes(id))
  await ctx.inbox.removeSandboxInboxes({ workspaceIds: removed })
  await ctx.sandboxes.deleteMany({ _id: { $in: removed }, state: 'removing' })
  for (const id of claimedWorkspaceIds) await finishClaim(ctx, id)
}

export async function removeSandboxOf(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.sandboxes.deleteOne({ _id: workspaceId, state: 'claimed' })
}
