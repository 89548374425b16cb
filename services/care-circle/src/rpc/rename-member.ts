import type { RenameMemberRequest, RenameMemberResponse } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import { requirePlainLine } from '@family-inbox/workspace-kit/plain-words'
import type { Context } from '../context.ts'
import { requireProvenEmail } from '../require-member.ts'

/** Signed-in people only: tool keys and grants act in one workspace. */
export function renameMember(ctx: Context): Handler<RenameMemberRequest, RenameMemberResponse> {
  return async (request, call) => {
    requireProvenEmail(call)
    const { personId } = requirePrincipal(call)
    const name = requirePlainLine('name', request.name, 120)
    await ctx.members.updateMany({ personId }, { $set: { name } })
    return {}
  }
}
