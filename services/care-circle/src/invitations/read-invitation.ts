import { type InviteMemberRequest, type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { invalidArgument, StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { optionalLine, requireEmail } from '@family-inbox/service-kit/text/text-rules'
import type { Context } from '../context.ts'
import type { Invitation } from '../models/invitation.ts'
import { openInvitations } from './find-invitation.ts'

export type InvitationRequest = Pick<Invitation, 'email' | 'role' | 'relationship' | 'message'> & {
  idempotencyKey: string
}

/** @throws StatusError INVALID_ARGUMENT naming the field */
export function readInvitation(request: InviteMemberRequest): InvitationRequest {
  return {
    email: requireEmail('email', request.email),
    role: requireInvitedRole(request.role),
    relationship: optionalLine('relationship', request.relationship, 60),
    // One paragraph, so it cannot imitate the mail around it.
    message: optionalLine('message', request.message.replaceAll(/[\r\n]/g, ' '), 500),
    idempotencyKey: optionalLine('idempotencyKey', request.idempotencyKey, 200),
  }
}

function requireInvitedRole(role: Role): Role {
  if (role === Role.COORDINATOR || role === Role.VIEWER) return role
  throw invalidArgument('role', 'role must be coordinator or viewer.')
}

/**
 * Finds the invitation an earlier identical request created: by idempotency key, or without a key, by the same content
 * from the same member while its mail is not queued.
 * @throws StatusError ALREADY_EXISTS when the key belongs to a different request
 */
export async function findEarlierInvitation(
  ctx: Context,
  { workspaceId, personId }: Membership,
  request: InvitationRequest,
): Promise<Invitation | null> {
  const { email, idempotencyKey } = request
  if (idempotencyKey === '') {
    const unmailed = { workspaceId, email, invitedBy: personId, mailDueAt: { $exists: true }, ...openInvitations() }
    const earlier = await ctx.invitations.findOne(unmailed).lean()
    return earlier && isSameRequest(earlier, request) ? earlier : null
  }
  const earlier = await ctx.invitations.findOne({ workspaceId, idempotencyKey }).lean()
  if (earlier === null || isSameRequest(earlier, request)) return earlier
  throw new StatusError(
    'ALREADY_EXISTS',
    'This idempotencyKey was used for another invitation. Use a new key for a new invitation.',
    { field: 'idempotencyKey' },
  )
}

function isSameRequest(earlier: Invitation, request: InvitationRequest): boolean {
  return (['email', 'role', 'relationship', 'message'] as const).every((field) => earlier[field] === request[field])
}
