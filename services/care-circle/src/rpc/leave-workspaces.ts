import {
  type LeaveWorkspacesRequest,
  type LeaveWorkspacesResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { forgetMember } from '../appointments/forget-member.ts'
import type { Context } from '../context.ts'
import { cancelInvitationsAndCodes, requireAnotherOwner } from '../workspace/change-workspace.ts'

/** Leaves all of them or none, and deletes invitations that hold the person's address. */
export function leaveWorkspaces(ctx: Context): Handler<LeaveWorkspacesRequest, LeaveWorkspacesResponse> {
  return async ({ personId }, call) => {
    requireService(call, 'auth')
    await ctx.connection.transaction(async (session) => {
      const memberships = await ctx.members.find({ personId }).session(session).lean()
      for (const member of memberships) {
        await ctx.workspaces.updateOne({ _id: member.workspaceId }, { $inc: { changes: 1 } }, { session })
        if (member.role === Role.OWNER) await requireAnotherOwner(ctx, member, session)
        await cancelInvitationsAndCodes(ctx, member, session)
        await forgetMember(ctx, member, session)
        await ctx.members.deleteOne({ _id: member._id }, { session })
      }
      const workspaceIds = memberships.map(({ workspaceId }) => workspaceId)
      await ctx.invitations.deleteMany({ workspaceId: { $in: workspaceIds }, acceptedBy: personId }, { session })
      const limits = memberships.map(({ workspaceId, email }) => `address/${workspaceId}/${email}`)
      await ctx.mailLimits.deleteMany({ _id: { $in: [...limits, `person/${personId}`] } }, { session })
    })
    return {}
  }
}
