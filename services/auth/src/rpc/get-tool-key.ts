import type { GetToolKeyRequest, GetToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { toolKeyNotFound, toWireToolKey } from '../wire.ts'

export function getToolKey(ctx: Context): Handler<GetToolKeyRequest, GetToolKeyResponse> {
  return async ({ keyId }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const key = await ctx.toolKeys.findOne({ _id: keyId, workspaceId, personId }, { hash: 0, calls: 0 }).lean()
    if (key === null) throw toolKeyNotFound()
    return { key: toWireToolKey(key) }
  }
}
