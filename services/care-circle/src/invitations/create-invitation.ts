import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { newId } from '@family-inbox/service-kit/ids/ids'
import { isDuplicateKey } from '@family-inbox/service-kit/mongo/mongo'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { Context } from '../context.ts'
import { hashInvitationToken, type Invitation } from '../models/invitation.ts'
import { invitationToken, openInvitations } from './find-invitation.ts'
import { findEarlierInvitation, type InvitationRequest } from './read-invitation.ts'
import { MAIL_GRACE_MS } from './sweep-invitations.ts'

export const INVITATION_LIFETIME_MS = 14 * 24 * 60 * 60 * 1000

/**
 * Stores a new invitation whose mail is yet to be queued. Uses unique indexes, not a transaction: one left open by a
 * killed process would block the workspace for a minute or more.
 * @throws StatusError when the person is a member or invited already, or too many invitations are open
 */
export async function placeInvitation(
  ctx: Context,
  inviter: Membership,
  startRequest: InvitationRequest,
): Promise<{ invitation: Invitation; isNew: boolean }> {
  try {
    await requireNewcomer(ctx, inviter, startRequest.email)
    await requireRoom(ctx, inviter.workspaceId)
    const invitation = toInvitation(ctx, inviter, startRequest)
    await ctx.invitations.insertOne(invitation)
    return { invitation, isNew: true }
  } catch (error) {
    // A concurrent call with the same request may have inserted it first.
    const quicker = await findEarlierInvitation(ctx, inviter, startRequest)
    if (quicker) return { invitation: quicker, isNew: false }
    throw isDuplicateKey(error) ? alreadyInvited() : error
  }
}

async function requireNewcomer(ctx: Context, { workspaceId, personId }: Membership, email: string): Promise<void> {
  const [member] = await Promise.all([
    ctx.members.findOne({ workspaceId, email }, { personId: 1 }).lean(),
    ctx.invitations.updateOne(
      { workspaceId, email, state: 'pending', expiresAt: { $lte: new Date() } },
      { $set: { state: 'expired' } },
    ),
  ])
  if (member?.personId === personId) throw invalidArgument('email', 'This is your own email address.')
  if (member)
    throw new StatusError('ALREADY_EXISTS', 'This person is a member of your household already.', { field: 'email' })
}

async function requireRoom(ctx: Context, workspaceId: string): Promise<void> {
  const most = ctx.config.invitationsPerDay
  const open = await ctx.invitations
    .find({ workspaceId, ...openInvitations() }, { expiresAt: 1 })
    .sort({ expiresAt: -1 })
    .limit(most)
    .lean()
  const next = open[most - 1]
  if (next === undefined) return
  throw new StatusError('RESOURCE_EXHAUSTED', `${most} people are invited and have not answered. Cancel one first.`, {
    retryAfterSec: Math.ceil((next.expiresAt.getTime() - Date.now()) / 1000),
  })
}

export function toInvitation(
  ctx: Context,
  { workspaceId, personId }: Pick<Membership, 'workspaceId' | 'personId'>,
  startRequest: InvitationRequest,
): Invitation {
  const { idempotencyKey, ...asked } = startRequest
  const _id = newId('inv')
  const now = Date.now()
  return {
    _id,
    workspaceId,
    ...asked,
    ...(idempotencyKey === '' ? {} : { idempotencyKey }),
    invitedBy: personId,
    state: 'pending',
    sendNumber: 1,
    tokenHash: hashInvitationToken(invitationToken(ctx.config.invitationKey, _id, 1)),
    mailDueAt: new Date(now + MAIL_GRACE_MS),
    createdAt: new Date(now),
    expiresAt: new Date(now + INVITATION_LIFETIME_MS),
  }
}

function alreadyInvited(): StatusError {
  const message = 'This person is invited already and has not answered. Send the invitation again, or cancel it first.'
  return new StatusError('ALREADY_EXISTS', message, { field: 'email' })
}
