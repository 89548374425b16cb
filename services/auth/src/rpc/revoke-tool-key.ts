import type { RevokeToolKeyRequest, RevokeToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { toolKeyNotFound } from '../wire.ts'

export function revokeToolKey(ctx: Context): Handler<RevokeToolKeyRequest, RevokeToolKeyResponse> {
  return async (request, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const key = await ctx.toolKeys.findOneAndUpdate(
      { _id: request.keyId, workspaceId, personId },
      [{ $set: { revokedAt: { $ifNull: ['$revokedAt', '$$NOW'] } } }],
      { updatePipeline: true },
    )
    if (key === null) throw toolKeyNotFound()
    return {}
  }
}
