import type { ApproveReplyProposalRequest, ApproveReplyProposalResponse } from '@family-inbox/proto/inbox/v1/inbox'
import type { Handler } from '@family-inbox/service-kit/rpc/call'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { requirePerson } from '@family-inbox/workspace-kit/assistants'
import { approveProposal } from '@family-inbox/workspace-kit/decide-proposals'
import type { Context } from '../context.ts'
import { findAssignable } from '../conversations/find-assignable.ts'
import { requireActiveAddress } from '../models/inbox-address.ts'
import { publicIdOf } from '../models/message.ts'
import { findFooter } from '../models/reply-footer.ts'
import type { ReplyProposal } from '../models/reply-proposal.ts'
import { isVerified, requireReplyTo } from '../models/reply-to.ts'
import { replyOf, replyProposals, toWireProposal } from '../replying/reply-proposals.ts'
import { findRepliedMessage } from '../replying/reply-recipient.ts'
import { admitReply, requireBody } from '../replying/store-reply.ts'

/** The first of several members who approve it decides what is sent; the others find it sent. */
export function approveReplyProposal(ctx: Context): Handler<ApproveReplyProposalRequest, ApproveReplyProposalResponse> {
  return async ({ proposalId, body }, call) => {
    const member = await ctx.requireMember(call, { write: true })
    requirePerson(call)
    const sent = await approveProposal(replyProposals(ctx), member, proposalId, async (proposal) => ({
      ...(await admit(ctx, proposal)),
      ...(await ctx.seal(ctx.replyProposals, member.workspaceId, {
        body: body === undefined ? proposal.body : requireBody(body),
      })),
      ...(member.disclosesAssistants && { disclosed: true }),
    }))
    return { proposal: toWireProposal(sent) }
  }
}

/** Everything is checked again: days may have passed. The limits come last, so a refused one rarely spends them. */
async function admit(ctx: Context, proposal: ReplyProposal): Promise<Pick<ReplyProposal, 'footer'>> {
  const { workspaceId, lovedOneId, messageRowId } = proposal
  const messageId = publicIdOf({ _id: messageRowId })
  const message = await findRepliedMessage(ctx, workspaceId, { messageId, lovedOneId })
  await requireActiveAddress(ctx, workspaceId, message)
  requireSameRecipient(requireReplyTo(message, ctx.config), proposal)
  await requireProposerMayWrite(ctx, proposal)
  await admitReply(ctx, replyOf(proposal), isVerified(message, proposal.to))
  const footer = await findFooter(ctx, workspaceId, message)
  return { ...(footer !== undefined && { footer }) }
}

function requireSameRecipient(to: string, proposal: ReplyProposal): void {
  if (to === proposal.to) return
  throw new StatusError('FAILED_PRECONDITION', `A reply would now go to ${to}, so this one was not sent. Decline it.`)
}

/** A member who left and came back is a new member. */
async function requireProposerMayWrite(ctx: Context, proposal: ReplyProposal): Promise<void> {
  const { workspaceId, personId, name, createdAt } = proposal
  const proposer = await findAssignable(ctx, workspaceId, personId)
  if (proposer !== undefined && (proposer.joinedAt ?? new Date(0)) <= createdAt) return
  throw new StatusError(
    'FAILED_PRECONDITION',
    `${name} can no longer write for your family, so this was not sent. Decline it.`,
  )
}
