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
  lovedOneId?: string
  write?: boolean
}

/** Starts every handler outside care-circle. Asks at each call, so a revoked role is effective immediately. */
export function createRequireMember(careCircle: CareCircleClient): RequireMember {
  const check = createBatcher(
    async (checks: MembershipCheck[]) => (await careCircle.checkMemberships({ checks })).memberships,
  )
  return async ({ token }, rule = {}) =>
    applyRule(await check({ principal: token, lovedOneId: rule.lovedOneId ?? '' }), rule)
}

export function applyRule(membership: Membership, rule: MemberRule): Membership {
  if (!membership.member) throw new StatusError('PERMISSION_DENIED', 'You are not a member of this workspace.')
  if (rule.write && membership.role === Role.VIEWER)
    throw new StatusError(
      'PERMISSION_DENIED',
      'Viewers can read but not change anything. Ask the owner or a coordinator.',
    )
  if (rule.lovedOneId !== undefined && !membership.lovedOneFound) throw lovedOneNotFound()
  return membership
}

/** The same error whether or not the loved one exists elsewhere. */
function lovedOneNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no loved one with this lovedOneId in your workspace.', {
    field: 'lovedOneId',
  })
}
