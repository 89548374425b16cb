import type { Context } from '../context.ts'

/** Deletes what is remembered of a claimed sandbox whose household was deleted. */
export async function forgetSandbox(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.sandboxes.deleteOne({ _id: workspaceId, state: 'claimed' })
}
