import { ProposalState, type ReplyProposal as WireProposal } from '@family-inbox/proto/inbox/v1/inbox'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { isExpired } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { messageIdOf } from '../models/message.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'

const STATES: Record<ReplyProposal['state'], ProposalState> = {
  waiting: ProposalState.WAITING,
  approved: ProposalState.SENT,
  sent: ProposalState.SENT,
  declined: ProposalState.DECLINED,
  expired: ProposalState.EXPIRED,
}

export function toWireProposal(proposal: ReplyProposal, subject = ''): WireProposal {
  const { _id, messageRowId, lovedOneId, personId, name, assistant, to, body, createdAt, expiresAt } = proposal
  const { decidedByName = '', decidedAt, replyId = '', guardMark } = proposal
  return {
    id: _id,
    state: isExpired(proposal) ? ProposalState.EXPIRED : STATES[proposal.state],
    messageId: messageIdOf({ _id: messageRowId }),
    lovedOneId,
    personId,
    name,
    assistant,
    to,
    body,
    createdAt,
    expiresAt,
    decidedByName,
    decidedAt,
    replyId,
    subject,
    guarded: guardMark !== undefined,
  }
}

/** The same error whether or not it exists in another workspace. */
export async function findProposal(ctx: Context, workspaceId: string, proposalId: string): Promise<ReplyProposal> {
  const proposal = await ctx.replyProposals
    .findOne({ _id: proposalId, workspaceId })
    .readConcern('majority')
    .lean<ReplyProposal | null>()
  if (proposal !== null) return proposal
  throw new StatusError('NOT_FOUND', 'Your family has no reply with this id that waits for approval.', {
    field: 'proposalId',
  })
}
