import { createHash } from 'node:crypto'
import type { InviteMemberResponse, Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { cleanLine } from '@family-inbox/service-kit/text/clean-text'
import { needsApproval } from '@family-inbox/workspace-kit/assistants'
import {
  DUPLICATE_WINDOW_MS,
  newProposal,
  spendProposalLimit,
  waitingProposals,
} from '@family-inbox/workspace-kit/proposals'
import { markProposing } from '../assistant-guard.ts'
import type { Context } from '../context.ts'
import { findEarlierInvitation, type InvitationRequest, requireInvitable } from '../invitations/create-invitation.ts'
import { type InvitationProposal, newInvitationProposalId } from '../models/invitation-proposal.ts'
import { toWireProposal } from './invitation-proposals.ts'

const MAX_ASSISTANT = 120

/** @returns undefined when the caller may invite without approval */
export async function findOrPropose(
  ctx: Context,
  inviter: Membership,
  request: InvitationRequest,
  assistant: string,
): Promise<InviteMemberResponse | undefined> {
  const mustWait = needsApproval(inviter)
  // In a guarded family, a declined one must not be sent by asking again.
  const mayHaveWaited = inviter.needsGuardMark !== undefined
  if (!mustWait && !mayHaveWaited) return undefined
  const proposal = toProposal(inviter, request, assistant)
  const earlier = await findEarlier(ctx, proposal)
  if (earlier !== null) return toResponse(earlier)
  if (!mustWait) return undefined
  // Sent before approval was required.
  const sent = await findEarlierInvitation(ctx, inviter, request)
  if (sent !== null) return { invitationId: sent._id, token: '', expiresAt: sent.expiresAt }
  await requireInvitable(ctx, inviter, request.email)
  return toResponse(await propose(ctx, proposal))
}

async function propose(ctx: Context, proposal: InvitationProposal): Promise<InvitationProposal> {
  const { workspaceId, email } = proposal
  await spendProposalLimit(ctx.mailLimits, proposal)
  const old = { workspaceId, email, state: 'waiting' as const, expiresAt: { $lte: new Date() } }
  await ctx.invitationProposals.updateOne(old, { $set: { state: 'expired' } })
  await markProposing(ctx, proposal)
  try {
    await ctx.invitationProposals.insertOne({ ...proposal, announceDueAt: new Date() })
    ctx.wake.proposals()
    return proposal
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const earlier = await findEarlier(ctx, proposal)
  if (earlier !== null) return earlier
  throw new StatusError('ALREADY_EXISTS', 'Another invitation for this person waits for approval.', { field: 'email' })
}

function toProposal(
  inviter: Membership,
  { idempotencyKey, network: _network, ...asked }: InvitationRequest,
  assistant: string,
): InvitationProposal {
  const { workspaceId, personId, name } = inviter
  const { email, role, relationship, message } = asked
  return {
    _id: newInvitationProposalId(),
    workspaceId,
    personId,
    name,
    assistant: cleanLine(assistant).slice(0, MAX_ASSISTANT),
    ...asked,
    ...(idempotencyKey !== '' && { idempotencyKey }),
    requestHash: createHash('sha256')
      .update(JSON.stringify([email, role, relationship, message]))
      .digest('hex'),
    ...newProposal(inviter),
  }
}

async function findEarlier(ctx: Context, proposal: InvitationProposal): Promise<InvitationProposal | null> {
  const { workspaceId, email, idempotencyKey, requestHash } = proposal
  const recent = { createdAt: { $gt: new Date(Date.now() - DUPLICATE_WINDOW_MS) } }
  const same = { workspaceId, email, requestHash, $or: [waitingProposals(), recent] }
  const earlier = await ctx.invitationProposals
    .findOne(idempotencyKey === undefined ? same : { workspaceId, idempotencyKey })
    .sort({ createdAt: -1 })
    .readConcern('majority')
    .lean<InvitationProposal | null>()
  if (earlier === null || earlier.requestHash === requestHash) return earlier
  const message = 'This idempotencyKey was used for another invitation. Use a new key for a new invitation.'
  throw new StatusError('ALREADY_EXISTS', message, { field: 'idempotencyKey' })
}

function toResponse(proposal: InvitationProposal): InviteMemberResponse {
  const { invitationId = '' } = proposal
  return { invitationId, token: '', expiresAt: undefined, proposal: toWireProposal(proposal) }
}
