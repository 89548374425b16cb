import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { ReplyToMessageResponse } from '@family-inbox/proto/inbox/v1/inbox'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { needsApproval } from '@family-inbox/workspace-kit/assistants'
import { DUPLICATE_WINDOW_MS, newProposal, shownState, spendProposalLimit } from '@family-inbox/workspace-kit/proposals'
import type { Context } from '../context.ts'
import { crashPoint } from '../crash-points.ts'
import { scheduleNotifications } from '../models/notification-setting.ts'
import { newProposalId, type ReplyProposal } from '../models/reply-proposal.ts'
import { isVerified } from '../models/reply-to.ts'
import { markProposing } from './guard.ts'
import { toWireProposal } from './reply-proposals.ts'
import type { RepliedMessage } from './reply-recipient.ts'
import { findEarlierReply, type NewReply, requestKeys } from './store-reply.ts'

/**
 * Stores what an assistant wrote when that needs approval. A repeated request returns its status.
 * @returns undefined when the reply is to be sent
 */
export async function findOrPropose(
  ctx: Context,
  member: Membership,
  message: RepliedMessage,
  reply: NewReply,
): Promise<ReplyToMessageResponse | undefined> {
  const mustWait = needsApproval(member)
  const mayBeRepeated = reply.assistant !== undefined && message.proposed
  // Most messages have no proposal, so most replies cost nothing more.
  if (!mustWait && !mayBeRepeated) return undefined
  const proposal = toProposal(reply, member)
  const earlier = await findEarlier(ctx, proposal)
  if (earlier !== null) return toResponse(earlier, message)
  if (!mustWait) return undefined
  // Sent before approval was required.
  const sent = await findEarlierReply(ctx, reply)
  if (sent !== null) return { replyId: sent._id, to: sent.to, queuedAt: sent.createdAt, lovedOneId: sent.lovedOneId }
  return toResponse(await propose(ctx, message, proposal), message)
}

function toResponse(proposal: ReplyProposal, message: RepliedMessage): ReplyToMessageResponse {
  const { replyId = '', to, decidedAt, lovedOneId } = proposal
  const toVerified = isVerified(message, to)
  return { replyId, to, queuedAt: decidedAt, lovedOneId, proposal: toWireProposal(proposal), toVerified }
}

async function propose(ctx: Context, message: RepliedMessage, proposal: ReplyProposal): Promise<ReplyProposal> {
  const { workspaceId, lovedOneId, _id } = proposal
  await spendProposalLimit(ctx.mailLimits, proposal)
  // First, so that whoever finds no mark finds no proposal either.
  if (!message.proposed) await ctx.messages.updateOne({ _id: message._id }, { $set: { proposed: true } })
  await markProposing(ctx, proposal)
  const stored = await insertOrFindEarlier(ctx, proposal)
  if (stored._id !== _id) return stored
  await scheduleNotifications(ctx.notificationSettings, [workspaceId], ctx.config.notificationDelayMs)
  ctx.wake.notifications()
  ctx.liveUpdates.announce(workspaceId, { lovedOneId })
  return stored
}

async function insertOrFindEarlier(ctx: Context, proposal: ReplyProposal): Promise<ReplyProposal> {
  for (;;) {
    try {
      await ctx.replyProposals.insertOne(await ctx.seal(ctx.replyProposals, proposal.workspaceId, proposal))
      crashPoint('proposal-stored')
      return proposal
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
    const earlier = await findEarlier(ctx, proposal)
    if (earlier !== null) return earlier
    const { workspaceId, derivedKey } = proposal
    const before = { workspaceId, derivedKey, createdAt: { $lte: new Date(Date.now() - DUPLICATE_WINDOW_MS) } }
    await ctx.replyProposals.updateOne(before, { $unset: { derivedKey: 1 } })
  }
}

function toProposal(reply: NewReply, member: Membership): ReplyProposal {
  const { workspaceId, lovedOneId, messageRowId, personId, name, assistant = '', to, body } = reply
  return {
    _id: newProposalId(),
    workspaceId,
    lovedOneId,
    messageRowId,
    personId,
    name,
    assistant,
    to,
    body,
    ...requestKeys(reply),
    ...newProposal(member),
  }
}

async function findEarlier(ctx: Context, proposal: ReplyProposal): Promise<ReplyProposal | null> {
  const { workspaceId, idempotencyKey, derivedKey, requestHash } = proposal
  const earlier = await ctx.replyProposals
    .findOne(idempotencyKey === undefined ? { workspaceId, derivedKey } : { workspaceId, idempotencyKey })
    .readConcern('majority')
    .lean<ReplyProposal | null>()
  if (earlier === null) return null
  if (idempotencyKey === undefined) return isCurrent(earlier) ? earlier : null
  if (earlier.requestHash === requestHash) return earlier
  const message = 'This idempotencyKey was used for another reply. Use a new one.'
  throw new StatusError('ALREADY_EXISTS', message, { field: 'idempotencyKey' })
}

function isCurrent(proposal: ReplyProposal): boolean {
  return proposal.createdAt.getTime() > Date.now() - DUPLICATE_WINDOW_MS || shownState(proposal) === 'waiting'
}
