import type { RevokeGrantRequest, RevokeGrantResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { revokeGrants } from '../oauth/revoke-grants.ts'
import { grantNotFound } from '../wire.ts'

export function revokeGrant(ctx: Context): Handler<RevokeGrantRequest, RevokeGrantResponse> {
  return async ({ grantId }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    if (!(await revokeGrants(ctx, { _id: grantId, workspaceId, personId }))) throw grantNotFound()
    return {}
  }
}
