import type { RevokeSessionsRequest, RevokeSessionsResponse } from '@family-inbox/proto/auth/v1/auth'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'

export function revokeSessions(ctx: Context): Handler<RevokeSessionsRequest, RevokeSessionsResponse> {
  return async ({ sessionId }, call) => {
    const { personId } = requirePrincipal(call)
    const { matchedCount } = await ctx.sessions.updateMany(
      { personId, ...(sessionId !== '' && { _id: sessionId }) },
      [{ $set: { revokedAt: { $ifNull: ['$revokedAt', '$$NOW'] } } }],
      { updatePipeline: true },
    )
    if (sessionId !== '' && matchedCount === 0)
      throw new StatusError('NOT_FOUND', 'You have no session with this id.', { field: 'sessionId' })
    return {}
  }
}
