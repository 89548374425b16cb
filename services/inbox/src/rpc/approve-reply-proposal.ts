import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ApproveReplyProposalRequest, ApproveReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { alreadyDecided, waitingProposals } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { findAssignable } from '../conversations/find-assignable.ts'
import { crashPoint } from '../crash-points.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import { messageIdOf } from '../models/message.ts'
import { findFooter } from '../models/reply-footer.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'
import { isVerified, requireReplyTo } from '../models/reply-to.ts'
import { findProposal, toWireProposal } from '../replying/find-proposal.ts'
import { findRepliedMessage } from '../replying/reply-recipient.ts'
import { replyOf, sendApproved } from '../replying/send-approved.ts'
import { admitReply, requireBody } from '../replying/store-reply.ts'

/** Of several members who approve it, the first decides what is sent; the others find it sent. */
export function approveReplyProposal(ctx: Context): Handler<ApproveReplyProposalRequest, ApproveReplyProposalResponse> {
  return async ({ proposalId, body }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const proposal = await findProposal(ctx, member.workspaceId, proposalId)
    // Once approved, its text is what was approved first.
    const approved =
      proposal.state === 'waiting'
        ? await approve(ctx, member, proposal, body === undefined ? proposal.body : requireBody(body))
        : requireApproved(proposal)
    return { proposal: toWireProposal(approved.state === 'sent' ? approved : await sendApproved(ctx, approved)) }
  }
}

/** Everything is checked again: days may have passed. The limits come first, so an approved one is never refused. */
async function approve(
  ctx: Context,
  member: Membership,
  proposal: ReplyProposal,
  body: string,
): Promise<ReplyProposal> {
  const { _id, workspaceId, lovedOneId, messageRowId } = proposal
  const message = await findRepliedMessage(ctx, workspaceId, {
    messageId: messageIdOf({ _id: messageRowId }),
    lovedOneId,
  })
  await requireActiveAddress(ctx, workspaceId, message)
  requireSameRecipient(requireReplyTo(message, ctx.config), proposal)
  await requireProposerMayWrite(ctx, proposal)
  await admitReply(ctx, replyOf(proposal), isVerified(message, proposal.to))
  const footer = await findFooter(ctx, workspaceId, message)
  const decision = {
    state: 'approved' as const,
    body,
    decidedBy: member.personId,
    decidedByName: member.name,
    decidedAt: new Date(),
    ...(footer !== undefined && { footer }),
    ...(member.disclosesAssistants && { disclosed: true }),
  }
  const approved = await ctx.replyProposals
    .findOneAndUpdate({ _id, workspaceId, ...waitingProposals() }, { $set: decision }, { returnDocument: 'after' })
    .lean<ReplyProposal | null>()
  crashPoint('reply-approved')
  return approved ?? requireApproved(await findProposal(ctx, workspaceId, _id))
}

function requireApproved(proposal: ReplyProposal): ReplyProposal {
  if (proposal.state === 'approved' || proposal.state === 'sent') return proposal
  throw alreadyDecided(proposal)
}

function requireSameRecipient(to: string, proposal: ReplyProposal): void {
  if (to === proposal.to) return
  throw new StatusError('FAILED_PRECONDITION', `A reply would now go to ${to}, so this one was not sent. Decline it.`)
}

/** Who left and came back is a new member. */
async function requireProposerMayWrite(ctx: Context, proposal: ReplyProposal): Promise<void> {
  const { workspaceId, personId, name, createdAt } = proposal
  const proposer = await findAssignable(ctx, workspaceId, personId)
  if (proposer !== undefined && (proposer.joinedAt ?? new Date(0)) <= createdAt) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `${name} can no longer write for your family, so this was not sent. Decline it.`,
  )
}
