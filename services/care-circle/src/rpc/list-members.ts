import {
  type ListMembersRequest,
  type ListMembersResponse,
  MemberStatus,
  type Member as WireMember,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import type { Context } from '../context.ts'
import { openInvitations } from '../invitations/find-invitation.ts'
import type { Invitation } from '../models/invitation.ts'
import { toWireMember } from '../models/member.ts'
import { requireMember } from '../require-member.ts'

/** SPEC "Family member". */
export function listMembers(ctx: Context): Handler<ListMembersRequest, ListMembersResponse> {
  return async (_request, call) => {
    const { workspaceId } = await requireMember(ctx, call)
    const [members, invitations] = await Promise.all([
      ctx.members.find({ workspaceId }).sort({ joinedAt: 1 }).lean(),
      ctx.invitations
        .find({ workspaceId, ...openInvitations() })
        .sort({ createdAt: 1 })
        .lean(),
    ])
    return { members: [...members.map(toWireMember), ...invitations.map(fromInvitation)] }
  }
}

function fromInvitation({ _id: invitationId, email, role, relationship, expiresAt }: Invitation): WireMember {
  const status = MemberStatus.INVITED
  return { personId: '', name: '', email, role, relationship, status, invitationId, joinedAt: undefined, expiresAt }
}
