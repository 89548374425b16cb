import { ProposalState, type ReplyProposal as WireProposal } from '@family-inbox/proto/inbox/v1/inbox'
import type { ProposalKind } from '@family-inbox/workspace-kit/decide-proposals'
import { shownState } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { publicIdOf } from '../models/message.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'
import { endGuard } from './guard.ts'
import { tryQueueReply } from './queue-reply.ts'
import { type NewReply, storeAdmittedReply } from './store-reply.ts'

/** Replies that wait for a member. */
export function replyProposals(ctx: Context): ProposalKind<ReplyProposal> {
  return {
    rows: ctx.replyProposals,
    noun: 'reply',
    async send(proposal) {
      const reply = await storeAdmittedReply(ctx, replyOf(proposal))
      await tryQueueReply(ctx, reply)
      return { replyId: reply._id }
    },
    endGuard: (proposal) => endGuard(ctx, proposal),
    crashPoint: (at) => crashPoint(at === 'approved' ? 'reply-approved' : 'proposal-marked'),
  }
}

/** The key has a line break, which no request can contain. */
export function replyOf(proposal: ReplyProposal): NewReply {
  const { _id, workspaceId, lovedOneId, messageRowId, personId, name, assistant, to, body } = proposal
  const { footer, disclosed, decidedByName } = proposal
  return {
    workspaceId,
    lovedOneId,
    messageRowId,
    personId,
    name,
    assistant,
    to,
    body,
    idempotencyKey: `proposal\n${_id}`,
    ...(decidedByName !== undefined && { approvedBy: decidedByName }),
    ...(footer !== undefined && { footer }),
    ...(disclosed && { disclosed }),
  }
}

const STATES = {
  waiting: ProposalState.WAITING,
  sent: ProposalState.SENT,
  declined: ProposalState.DECLINED,
  expired: ProposalState.EXPIRED,
}

/** @param subject of its message */
export function toWireProposal(proposal: ReplyProposal, subject = ''): WireProposal {
  const { _id, messageRowId, lovedOneId, personId, name, assistant, to, body, createdAt, expiresAt } = proposal
  const { decidedByName = '', decidedAt, replyId = '', guardMark } = proposal
  return {
    id: _id,
    state: STATES[shownState(proposal)],
    messageId: publicIdOf({ _id: messageRowId }),
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
