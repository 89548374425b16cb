import {
  type CareCircleServiceService,
  type Membership,
  type MembershipCheck,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'

export type CareCircleClient = RpcClient<typeof CareCircleServiceService>

export type RequireMember = (call: Pick<Call, 'token'>, rule?: MemberRule) => Promise<Membership>

export type MemberRule = {
  /** The loved one the call is about; must be the household's. */
  lovedOneId?: string
  /** Whether the call changes something: viewers may not. */
  write?: boolean
}

/**
 * Makes the check that is the first line of every handler outside care-circle. care-circle is asked at each call, for as
 * many callers at once as are waiting, so a role that was taken away is gone for every call that starts afterwards.
 */
export function createRequireMember(careCircle: CareCircleClient): RequireMember {
  const check = createBatcher(
    async (checks: MembershipCheck[]) => (await careCircle.checkMemberships({ checks })).memberships,
  )
  return async ({ token }, rule = {}) =>
    applyRule(await check({ principal: token, lovedOneId: rule.lovedOneId ?? '' }), rule)
}

/**
 * Holds a membership against a rule.
 * @throws StatusError PERMISSION_DENIED for a stranger or a viewer who writes, NOT_FOUND for a loved one of another
 *   household, which answers exactly like one that does not exist
 */
export function applyRule(membership: Membership, rule: MemberRule): Membership {
  if (!membership.member) throw new StatusError('PERMISSION_DENIED', 'You are not a member of this household.')
  if (rule.write && membership.role === Role.VIEWER)
    throw new StatusError(
      'PERMISSION_DENIED',
      'Viewers can read, but not change anything. Ask the owner or a coordinator.',
    )
  if (rule.lovedOneId !== undefined && !membership.lovedOneFound) throw lovedOneNotFound()
  return membership
}

/** The one answer for a loved one that is not the household's, whether or not it exists elsewhere. */
export function lovedOneNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no loved one with this lovedOneId in your household.', {
    field: 'lovedOneId',
  })
}
