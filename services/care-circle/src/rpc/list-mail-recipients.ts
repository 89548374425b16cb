import {
  type ListMailRecipientsRequest,
  type ListMailRecipientsResponse,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Handler, requireService } from '@family-inbox/service-kit/rpc/call'
import { waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { memberId } from '../models/member.ts'

export function listMailRecipients(ctx: Context): Handler<ListMailRecipientsRequest, ListMailRecipientsResponse> {
  return async ({ workspaceId, personIds, emails, owner, everyone, proposals: withProposals }, call) => {
    requireService(call, 'inbox', 'auth')
    // Whoever names addresses only wants to know whether they are of members.
    const isMailed = owner || everyone || personIds.length > 0
    const [members, workspace, lovedOnes, proposals] = await Promise.all([
      ctx.members
        .find({
          workspaceId,
          $or: [
            { _id: { $in: personIds.map((id) => memberId(workspaceId, id)) } },
            { email: { $in: emails } },
            ...(owner ? [{ role: Role.OWNER }] : []),
            ...(everyone ? [{}] : []),
          ],
        })
        .lean(),
      isMailed ? ctx.workspaces.findById(workspaceId, { name: 1 }).lean() : null,
      isMailed ? ctx.lovedOnes.find({ workspaceId }, { name: 1 }).sort({ createdAt: 1 }).lean() : [],
      withProposals
        ? ctx.invitationProposals.find({ workspaceId, ...waitingProposals() }, { createdAt: 1 }).lean()
        : [],
    ])
    return {
      recipients: members.map(({ personId, name, email, joinedAt, role }) => ({
        personId,
        name,
        email,
        joinedAt,
        role,
      })),
      workspaceName: workspace?.name ?? '',
      proposedAt: proposals.map(({ createdAt }) => createdAt),
      lovedOnes: lovedOnes.map(({ _id, name }) => ({ id: _id, name })),
    }
  }
}
