import type { GetGrantRequest, GetGrantResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { activeGrants, GRANT_FIELDS, grantNotFound, toWireGrant } from '../wire.ts'

export function getGrant(ctx: Context): Handler<GetGrantRequest, GetGrantResponse> {
  return async ({ grantId }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const grant = await ctx.grants
      .findOne({ _id: grantId, ...activeGrants({ workspaceId, personId }) }, GRANT_FIELDS)
      .lean()
    if (grant === null) throw grantNotFound()
    return { grant: toWireGrant(grant) }
  }
}
