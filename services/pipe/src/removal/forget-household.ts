import type { Context } from '../context.ts'

/**
 * Ends all links of a household that is no more: from now on nothing of it is taken, and the sweeper deletes what came through
 * them, as after any purge.
 */
export async function forgetHousehold(ctx: Context, workspaceId: string): Promise<void> {
  const now = new Date()
  await ctx.links.updateMany(
    { workspaceId, live: true },
    { $set: { shared: false, purgedAt: now, purgeDueAt: now }, $unset: { live: 1 } },
  )
}
