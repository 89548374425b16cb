import type { RevokeSessionsRequest, RevokeSessionsResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { revokeGrants } from '../oauth/revoke-grants.ts'

/** Assistants first: a request that fails in between can be repeated by whoever is still signed in. */
export function revokeSessions(ctx: Context): Handler<RevokeSessionsRequest, RevokeSessionsResponse> {
  return async ({ sessionId, disconnectAssistants }, call) => {
    const { personId } = requirePrincipal(call)
    if (disconnectAssistants) await disconnectAll(ctx, personId)
    const { matchedCount } = await ctx.sessions.updateMany(
      { personId, ...(sessionId !== '' && { _id: sessionId }) },
      REVOKE,
      { updatePipeline: true },
    )
    if (sessionId !== '' && matchedCount === 0)
      throw new StatusError('NOT_FOUND', 'You have no session with this id.', { field: 'sessionId' })
    return {}
  }
}

const REVOKE = [{ $set: { revokedAt: { $ifNull: ['$revokedAt', '$$NOW'] } } }]

async function disconnectAll(ctx: Context, personId: string): Promise<void> {
  await ctx.toolKeys.updateMany({ personId }, REVOKE, { updatePipeline: true })
  const grants = await ctx.grants.find({ personId, revokedAt: null }, { _id: 1 }).lean()
  for (const { _id } of grants) await revokeGrants(ctx, { _id })
}
