import type { Membership } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/status-error'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'
import { openInvitations } from './find-invitation.ts'
import type { InvitationWish } from './read-invitation.ts'

/**
 * The invitation this wish has led to before, if it is a repetition: the household has used its idempotency key, or, without
 * a key, the same member's same wish was placed and never answered, since its mail could not be queued.
 * @throws StatusError ALREADY_EXISTS for a key that was used for another wish
 */
export async function findEarlierInvitation(
  ctx: Context,
  { workspaceId, personId }: Membership,
  wish: InvitationWish,
): Promise<Invitation | null> {
  const { email, idempotencyKey } = wish
  if (idempotencyKey === '') {
    const unmailed = { workspaceId, email, invitedBy: personId, mailDueAt: { $exists: true }, ...openInvitations() }
    const earlier = await ctx.invitations.findOne(unmailed).lean()
    return earlier && asksTheSame(earlier, wish) ? earlier : null
  }
  const earlier = await ctx.invitations.findOne({ workspaceId, idempotencyKey }).lean()
  if (earlier === null || asksTheSame(earlier, wish)) return earlier
  throw new StatusError(
    'ALREADY_EXISTS',
    'This idempotencyKey was used for another invitation. Use a new key for a new invitation.',
    { field: 'idempotencyKey' },
  )
}

function asksTheSame(earlier: Invitation, wish: InvitationWish): boolean {
  return (['email', 'role', 'relationship', 'message'] as const).every((field) => earlier[field] === wish[field])
}
