import type { DeclineReplyProposalRequest, DeclineReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { declineProposal } from '@family-inbox/workspace-kit/decide-proposals'
import type { Context } from '../context.ts'
import { replyProposals } from '../replying/reply-proposals.ts'

export function declineReplyProposal(ctx: Context): Handler<DeclineReplyProposalRequest, DeclineReplyProposalResponse> {
  return async ({ proposalId }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    await declineProposal(replyProposals(ctx), member, proposalId)
    return {}
  }
}
