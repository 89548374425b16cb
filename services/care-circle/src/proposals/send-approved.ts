import { startSweeper } from '@family-inbox/service-kit/lifecycle/sweep'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { earliest } from '@family-inbox/service-kit/mongo/rows'
import { describeError } from '@family-inbox/service-kit/observability/logger'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { endGuard } from '../assistant-guard.ts'
import type { Context } from '../context.ts'
import { createInvitation, findEarlierInvitation, type InvitationRequest } from '../invitations/create-invitation.ts'
import { tryMailInvitation } from '../invitations/mail-invitation.ts'
import type { InvitationProposal } from '../models/invitation-proposal.ts'

/** The request that approved a younger one is still storing its invitation. */
const SWEEP_AFTER_MS = 10_000

/** Every attempt creates the same invitation, so limits and mail count once. */
export function invitationIdOf({ _id }: Pick<InvitationProposal, '_id'>): string {
  return _id.replace(/^invp_/, 'inv_')
}

/** Stores and mails the invitation of an approved proposal, once, however often and by whomever it is called. */
export async function sendApproved(ctx: Context, proposal: InvitationProposal): Promise<InvitationProposal> {
  const { _id, workspaceId, personId } = proposal
  const request = requestOf(proposal)
  try {
    const invitation =
      (await findEarlierInvitation(ctx, { workspaceId, personId }, request)) ??
      (await createInvitation(ctx, { workspaceId, personId }, request, invitationIdOf(proposal))).invitation
    await tryMailInvitation(ctx, invitation)
    await endGuard(ctx, proposal)
    const sent = { state: 'sent', invitationId: invitation._id } as const
    await ctx.invitationProposals.updateOne({ _id }, { $set: sent })
    return { ...proposal, ...sent }
  } catch (error) {
    // Such as a person who joined in the meantime: the members decide again.
    if (error instanceof StatusError && error.status !== 'UNAVAILABLE') await handBack(ctx, _id)
    throw error
  }
}

async function handBack({ invitationProposals }: Context, _id: string): Promise<void> {
  const undecided = { $unset: { decidedBy: 1, decidedByName: 1, decidedAt: 1 } } as const
  try {
    await invitationProposals.updateOne({ _id, state: 'approved' }, { $set: { state: 'waiting' }, ...undecided })
  } catch (error) {
    // Another one for the same address waits.
    if (!isDuplicateKey(error)) throw error
    await invitationProposals.updateOne({ _id, state: 'approved' }, { $set: { state: 'expired' } })
  }
}

/** The key has a line break, which no request can contain. */
function requestOf({ _id, email, role, relationship, message }: InvitationProposal): InvitationRequest {
  return { email, role, relationship, message, idempotencyKey: `proposal\n${_id}` }
}

/** Sends what a crash left approved. Safe on any number of replicas. */
export function startProposalSweeper(ctx: Context): AsyncDisposable {
  return startSweeper({
    pauseMs: ctx.config.sweepPauseMs,
    dueAt: () => firstLeft(ctx),
    sweep: () => sweep(ctx),
    failureMessage: 'approved invitations could not be sent; retrying',
    logger: ctx.logger,
  })
}

async function firstLeft({ invitationProposals }: Context): Promise<Date | undefined> {
  const decidedAt = await earliest(invitationProposals, 'decidedAt', { state: 'approved' })
  return decidedAt && new Date(decidedAt.getTime() + SWEEP_AFTER_MS + 1)
}

async function sweep(ctx: Context): Promise<boolean> {
  const left = { state: 'approved' as const, decidedAt: { $lt: new Date(Date.now() - SWEEP_AFTER_MS) } }
  for (const proposal of await ctx.invitationProposals.find(left).limit(100).lean<InvitationProposal[]>())
    await sendApproved(ctx, proposal).catch((error) =>
      ctx.logger.warn(
        { ...describeError(error), proposal: proposal._id },
        'an approved invitation could not be sent; retrying',
      ),
    )
  return false
}
