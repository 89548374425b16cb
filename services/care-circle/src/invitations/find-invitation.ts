import { createHmac, type KeyObject } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import { hashInvitationToken, type Invitation } from '../models/invitation.ts'
import { type Member, memberId } from '../models/member.ts'

export function openInvitations() {
  return { state: 'pending' as const, expiresAt: { $gt: new Date() } }
}

/** @throws StatusError NOT_FOUND */
export async function findOpenInvitation(ctx: Context, token: string): Promise<Invitation> {
  const tokenHash = hashInvitationToken(token)
  const invitation = await ctx.invitations.findOne({ tokenHash, ...openInvitations() }).lean()
  if (invitation && (await mayInviterInvite(ctx, invitation))) return invitation
  throw invalidInvitation()
}

/** An invitation is valid only while its inviter may invite. */
export async function mayInviterInvite(
  ctx: Context,
  { workspaceId, invitedBy }: Invitation,
  session: ClientSession | null = null,
): Promise<boolean> {
  return mayInvite(await ctx.members.findById(memberId(workspaceId, invitedBy)).session(session).lean())
}

export function mayInvite(member: Member | null): member is Member {
  return member !== null && member.role !== Role.VIEWER
}

/** The same error for every reason, so that it tells nothing about the invitation. */
export function invalidInvitation(): StatusError {
  const message = 'This invitation has expired, was used or canceled, or is for another email address.'
  return new StatusError('NOT_FOUND', message, { field: 'token' })
}

export function invitationNotFound(): StatusError {
  const message = 'Your family has no open invitation with this invitationId.'
  return new StatusError('NOT_FOUND', message, { field: 'invitationId' })
}

/** Derived, not random, so that an unsent mail can be written again although only the token's hash is stored. */
export function invitationToken(key: KeyObject, invitationId: string, sendNumber: number): string {
  const digest = createHmac('sha256', key).update(`invitation ${invitationId} ${sendNumber}`).digest('hex')
  return BigInt(`0x${digest}`).toString(32).padStart(52, '0')
}
