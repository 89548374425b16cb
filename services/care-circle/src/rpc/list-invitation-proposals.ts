import type {
  ListInvitationProposalsRequest,
  ListInvitationProposalsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { PROPOSALS_PER_DAY } from '@family-inbox/workspace-kit/assistants'
import type { Context } from '../context.ts'
import { waitingInvitations } from '../models/invitation-proposal.ts'
import { toWireProposal } from '../proposals/to-wire.ts'
import { requireMember } from '../require-member.ts'

/** All that can wait at a time. */
const MAX_LISTED = 8 * PROPOSALS_PER_DAY

export function listInvitationProposals(
  ctx: Context,
): Handler<ListInvitationProposalsRequest, ListInvitationProposalsResponse> {
  return async (_request, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const rows = await ctx.invitationProposals
      .find({ workspaceId, ...waitingInvitations() })
      .sort({ createdAt: -1 })
      .limit(MAX_LISTED)
      .lean()
    return { proposals: rows.map(toWireProposal) }
  }
}
