import { createHmac, type KeyObject } from 'node:crypto'
import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import type { ClientSession } from 'mongoose'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'
import { type Member, memberId } from '../models/member.ts'

/** The filter for invitations that can still be answered. */
export function openInvitations() {
  return { state: 'pending' as const, expiresAt: { $gt: new Date() } }
}

/** An invitation stands and falls with its inviter: whoever has left, or may only read, invites nobody. */
export async function hasStandingInviter(
  ctx: Context,
  { workspaceId, invitedBy }: Invitation,
  session: ClientSession | null = null,
): Promise<boolean> {
  return mayInvite(await ctx.members.findById(memberId(workspaceId, invitedBy)).session(session).lean())
}

export function mayInvite(member: Member | null): member is Member {
  return member !== null && member.role !== Role.VIEWER
}

/** The one answer for a token that leads nowhere, whatever the reason. */
export function tokenLeadsNowhere(): StatusError {
  const message = 'This invitation has expired, was used or cancelled, or was made for another email address.'
  return new StatusError('NOT_FOUND', message, { field: 'token' })
}

/** The one answer for an invitation id that is not an open invitation of the household. */
export function invitationNotFound(): StatusError {
  const message = 'There is no open invitation with this invitationId in your household.'
  return new StatusError('NOT_FOUND', message, { field: 'invitationId' })
}

/**
 * The secret in an invitation's link: 52 characters of base 32, derived and not random, so that a mail a crash left unsent
 * can be written again although only the token's hash is stored.
 * @param sendNumber 1 for the first mail; each further mail has another token
 */
export function invitationToken(key: KeyObject, invitationId: string, sendNumber: number): string {
  const digest = createHmac('sha256', key).update(`invitation ${invitationId} ${sendNumber}`).digest('hex')
  return BigInt(`0x${digest}`).toString(32).padStart(52, '0')
}
