import {
  type RevokeEmergencyLinkRequest,
  type RevokeEmergencyLinkResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { requireMember } from '../require-member.ts'

/** Any owner, also of a link that another owner created. From the answer on, nothing opens it. */
export function revokeEmergencyLink(ctx: Context): Handler<RevokeEmergencyLinkRequest, RevokeEmergencyLinkResponse> {
  return async ({ linkId }, call) => {
    const { workspaceId, role } = await requireMember(ctx, call, { write: true })
    requirePerson(call)
    if (role !== Role.OWNER) throw new StatusError('PERMISSION_DENIED', 'Only the owner can do this.')
    const open = { _id: linkId, workspaceId, revokedAt: null }
    const { matchedCount } = await ctx.emergencyLinks.updateOne(open, { $set: { revokedAt: new Date() } })
    if (matchedCount === 0) throw new StatusError('NOT_FOUND', 'There is no such link.')
    return {}
  }
}
