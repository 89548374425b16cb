import type {
  ListInvitationProposalsRequest,
  ListInvitationProposalsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { MAX_WAITING, waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { toWireProposal } from '../proposals/to-wire.ts'
import { requireMember } from '../require-member.ts'

export function listInvitationProposals(
  ctx: Context,
): Handler<ListInvitationProposalsRequest, ListInvitationProposalsResponse> {
  return async (_request, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const rows = await ctx.invitationProposals
      .find({ workspaceId, ...waitingProposals() })
      .sort({ createdAt: -1 })
      .limit(MAX_WAITING)
      .lean()
    return { proposals: rows.map(toWireProposal) }
  }
}
