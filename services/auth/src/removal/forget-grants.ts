import type { Context } from '../context.ts'
import type { Grant } from '../models/grant.ts'

/** Deletes grants with all that was issued under them. */
export async function forgetGrants(
  ctx: Context,
  match: Partial<Pick<Grant, 'personId' | 'workspaceId'>>,
): Promise<void> {
  const grants = await ctx.grants.find(match, { _id: 1 }).lean()
  const ids = grants.map(({ _id }) => _id)
  await ctx.grants.deleteMany({ _id: { $in: ids } })
  await ctx.oauthRecords.deleteMany({ grantId: { $in: ids } })
}
