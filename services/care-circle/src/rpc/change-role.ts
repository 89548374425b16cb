import { type ChangeRoleRequest, type ChangeRoleResponse, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requireRecentSignIn } from '@family-inbox/service-kit/rpc/recent-sign-in'
import { invalidArgument } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import {
  cancelInvitationsAndCodes,
  changeWorkspace,
  requireAnotherOwner,
  requireMemberOf,
  requireOwner,
  requireStillOwner,
} from '../workspace/change-workspace.ts'

/** An owner always remains. Giving someone more access needs a recent sign-in, as inviting them with it does. */
export function changeRole(ctx: Context): Handler<ChangeRoleRequest, ChangeRoleResponse> {
  return async (request, call) => {
    const caller = await requireOwner(ctx, call)
    const role = requireRole(request.role)
    if (role === Role.OWNER) requireRecentSignIn(call)
    await changeWorkspace(ctx, caller.workspaceId, call.deadline, async (session) => {
      await requireStillOwner(ctx, caller, session)
      const member = await requireMemberOf(ctx, caller.workspaceId, request.personId, session)
      if (member.role === Role.VIEWER && role !== Role.VIEWER) requireRecentSignIn(call)
      if (member.role === Role.OWNER && role !== Role.OWNER) await requireAnotherOwner(ctx, member, session)
      if (role === Role.VIEWER) await cancelInvitationsAndCodes(ctx, member, session)
      await ctx.members.updateOne({ _id: member._id }, { $set: { role } }, { session })
    })
    return {}
  }
}

function requireRole(role: Role): Role {
  if (role === Role.OWNER || role === Role.COORDINATOR || role === Role.VIEWER) return role
  throw invalidArgument('role', 'role must be owner, coordinator or viewer.')
}
