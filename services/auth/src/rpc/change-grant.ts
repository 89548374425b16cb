import type { ChangeGrantRequest, ChangeGrantResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { changeAssistant } from '../assistants/change-assistant.ts'
import type { Context } from '../context.ts'
import { activeGrants, grantNotFound } from '../wire.ts'

export function changeGrant(ctx: Context): Handler<ChangeGrantRequest, ChangeGrantResponse> {
  return async ({ grantId, ...change }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const own = { _id: grantId, ...activeGrants({ workspaceId, personId }) }
    if (!(await changeAssistant(ctx.grants.collection, own, change, call))) throw grantNotFound()
    return {}
  }
}
