import { type InviteMemberRequest, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { invalidArgument } from '@family-inbox/service-kit/status-error'
import { optionalLine, requireEmail } from '@family-inbox/service-kit/text-rules'
import type { Invitation } from '../models/invitation.ts'

/** What an inviter asks for. */
export type InvitationWish = Pick<Invitation, 'email' | 'role' | 'relationship' | 'message'> & {
  idempotencyKey: string
}

/**
 * Holds the arguments of InviteMember against their rules.
 * @throws StatusError INVALID_ARGUMENT naming the field
 */
export function readInvitation(request: InviteMemberRequest): InvitationWish {
  return {
    email: requireEmail('email', request.email),
    role: requireInvitedRole(request.role),
    relationship: optionalLine('relationship', request.relationship, 60),
    // One paragraph whatever was typed, so that it cannot pass for a part of the mail around it.
    message: optionalLine('message', request.message.replaceAll(/[\r\n]/g, ' '), 500),
    idempotencyKey: optionalLine('idempotencyKey', request.idempotencyKey, 200),
  }
}

function requireInvitedRole(role: Role): Role {
  if (role === Role.COORDINATOR || role === Role.VIEWER) return role
  throw invalidArgument('role', 'role must be coordinator or viewer.')
}
