import type { Context } from '../context.ts'
import type { Grant } from '../models/grant.ts'

/**
 * Ends a grant and all that was issued under it. The grant's own mark comes first: from then on no call is admitted and no
 * token refreshed, whatever else is still there. Ending one twice is no error.
 * @returns whether there is such a grant
 */
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
