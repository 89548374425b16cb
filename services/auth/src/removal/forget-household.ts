import { deleteRows } from '@family-inbox/service-kit/delete-rows'
import type { Context } from '../context.ts'
import { forgetGrants } from './forget-grants.ts'

/** Deletes the keys, the applications and the record of calls of a household; sessions in it choose another. */
export async function forgetHousehold(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.toolKeys.deleteMany({ workspaceId })
  await forgetGrants(ctx, { workspaceId })
  await ctx.sessions.updateMany({ workspaceId }, { workspaceId: '' })
  await deleteRows(ctx.calls.collection, { workspaceId })
}
