import type {
  DeclineInvitationProposalRequest,
  DeclineInvitationProposalResponse,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { declineProposal } from '@family-inbox/workspace-kit/decide-proposals'
import type { Context } from '../context.ts'
import { invitationProposals } from '../proposals/invitation-proposals.ts'
import { requireMember } from '../require-member.ts'

export function declineInvitationProposal(
  ctx: Context,
): Handler<DeclineInvitationProposalRequest, DeclineInvitationProposalResponse> {
  return async ({ proposalId }, call) => {
    const member = await requireMember(ctx, call, { write: true })
    requirePerson(call)
    await declineProposal(invitationProposals(ctx), member, proposalId)
    return {}
  }
}
