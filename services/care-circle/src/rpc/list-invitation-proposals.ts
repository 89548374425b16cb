import type {
  ListInvitationProposalsRequest,
  ListInvitationProposalsResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { findWaiting } from '@family-inbox/workspace-kit/decide-proposals'
import type { Context } from '../context.ts'
import { invitationProposals, toWireProposal } from '../proposals/invitation-proposals.ts'
import { requireMember } from '../require-member.ts'

export function listInvitationProposals(
  ctx: Context,
): Handler<ListInvitationProposalsRequest, ListInvitationProposalsResponse> {
  return async (_request, call) => {
    const { workspaceId } = await requireMember(ctx, call, { write: true })
    const rows = await findWaiting(invitationProposals(ctx), workspaceId)
    return { proposals: rows.map(toWireProposal) }
  }
}
