import type { Context } from '../context.ts'

/** Removes all messages of these workspaces, with originals and read state. */
export async function removeMailOf(ctx: Context, workspaceIds: string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  await ctx.messages.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.indexEntries.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.readMarks.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.drafts.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.readWatermarks.deleteMany({ workspaceId: { $in: workspaceIds } })
  await ctx.originals.deleteMany({ $or: workspaceIds.map((id) => ({ _id: originalKeyRange(id) })) })
}

/** The key range of a workspace's originals. */
export function originalKeyRange(workspaceId: string) {
  return { $gte: `${workspaceId}/`, $lt: `${workspaceId}0` }
}
