import type { RemoveCorrespondentRequest, RemoveCorrespondentResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { foldEmail } from '@family-inbox/service-kit/rpc/text-rules'
import type { Context } from '../context.ts'
import { correspondentId } from '../models/correspondent.ts'

/** Their next mail, or the next to them, enters them again. Idempotent. Owner and coordinators only. */
export function removeCorrespondent(ctx: Context): Handler<RemoveCorrespondentRequest, RemoveCorrespondentResponse> {
  return async ({ address }, call) => {
    const { workspaceId } = await ctx.requireMember(call, { write: true })
    await ctx.correspondents.deleteOne({ _id: correspondentId(workspaceId, foldEmail(address)) })
    return {}
  }
}
