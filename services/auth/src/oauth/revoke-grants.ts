import type { Context } from '../context.ts'
import type { Grant } from '../models/grant.ts'

/** Marking the grant first stops calls and refreshes even if a crash follows. @returns false when none matches */
export async function revokeGrants(
  ctx: Context,
  match: Pick<Grant, '_id'> & Partial<Pick<Grant, 'personId' | 'workspaceId'>>,
): Promise<boolean> {
  const grant = await ctx.grants.findOneAndUpdate(
    match,
    [{ $set: { revokedAt: { $ifNull: ['$revokedAt', '$$NOW'] } } }],
    { updatePipeline: true, projection: { _id: 1 } },
  )
  if (grant === null) return false
  await ctx.oauthRecords.deleteMany({ grantId: match._id })
  return true
}
