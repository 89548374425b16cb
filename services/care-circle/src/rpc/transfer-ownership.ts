import {
  Role,
  type TransferOwnershipRequest,
  type TransferOwnershipResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'
import { changeWorkspace, requireMemberOf, requireOwner, requireStillOwner } from '../workspace/change-workspace.ts'

export function transferOwnership(ctx: Context): Handler<TransferOwnershipRequest, TransferOwnershipResponse> {
  return async (request, call) => {
    const caller = await requireOwner(ctx, call)
    requireRecentSignIn(call)
    const { workspaceId, personId } = caller
    if (request.personId === personId) throw invalidArgument('personId', 'You are already the owner.')
    await changeWorkspace(ctx, workspaceId, call.deadline, async (session) => {
      await requireStillOwner(ctx, caller, session)
      const newOwner = await requireMemberOf(ctx, workspaceId, request.personId, session)
      await ctx.members.updateOne({ _id: newOwner._id }, { $set: { role: Role.OWNER } }, { session })
      await ctx.members.updateOne(
        { _id: memberId(workspaceId, personId) },
        { $set: { role: Role.COORDINATOR } },
        { session },
      )
    })
    return {}
  }
}
