import type { EndedMembership } from '@family-inbox/workspace-kit/removals'
import type { Context } from '../context.ts'
import { revokeGrants } from '../oauth/revoke-grants.ts'

/** Keys and grants of a later membership stay, however late this runs. */
export async function endMembership(ctx: Context, ended: EndedMembership): Promise<void> {
  const { workspaceId, personId, since, endedAt } = ended
  const ofThis = {
    workspaceId,
    personId,
    $or: [{ memberSince: { $lte: since } }, { memberSince: null, createdAt: { $lte: endedAt } }],
  }
  await ctx.toolKeys.updateMany({ ...ofThis, revokedAt: null }, [{ $set: { revokedAt: '$$NOW' } }], {
    updatePipeline: true,
  })
  const grants = await ctx.grants.find({ ...ofThis, revokedAt: null }, { _id: 1 }).lean()
  for (const { _id } of grants) await revokeGrants(ctx, { _id })
}
