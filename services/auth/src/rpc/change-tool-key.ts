import type { ChangeToolKeyRequest, ChangeToolKeyResponse } from '@family-inbox/proto/auth/v1/auth'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { changeAssistant } from '../assistants/change-assistant.ts'
import type { Context } from '../context.ts'
import { toolKeyNotFound } from '../wire.ts'

export function changeToolKey(ctx: Context): Handler<ChangeToolKeyRequest, ChangeToolKeyResponse> {
  return async ({ keyId, ...change }, call) => {
    const { workspaceId, personId } = await ctx.requireMember(call)
    const own = { _id: keyId, workspaceId, personId, revokedAt: null }
    if (!(await changeAssistant(ctx.toolKeys.collection, own, change, call))) throw toolKeyNotFound()
    return {}
  }
}
