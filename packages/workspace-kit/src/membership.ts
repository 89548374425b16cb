import {
  AssistantRule,
  type CareCircleServiceService,
  type Membership,
  type MembershipCheck,
  Role,
} from '@family-inbox/proto/carecircle/v1/care_circle'
import { createBatcher } from '@family-inbox/service-kit/rpc/batch'
import type { Call } from '@family-inbox/service-kit/rpc/call'
import type { RpcClient } from '@family-inbox/service-kit/rpc/dial'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { needsApproval, REFUSALS } from './assistants.ts'

export type CareCircleClient = RpcClient<typeof CareCircleServiceService>

export type RequireMember = (call: Pick<Call, 'token'>, rule?: MemberRule) => Promise<Membership>

export type MemberRule = {
  lovedOneId?: string
  write?: boolean
  /** Whether the handler stores what needs approval as a proposal. Others refuse it. */
  proposes?: boolean
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
  if (isPaused(membership)) throw refusedAssistant(membership)
  if (rule.write && membership.role === Role.VIEWER)
    throw new StatusError(
      'PERMISSION_DENIED',
      'Viewers can read but not change anything. Ask the owner or a coordinator.',
    )
  if (rule.write && !mayWrite(membership, rule)) throw refusedAssistant(membership)
  if (rule.lovedOneId !== undefined && !membership.lovedOneFound) throw lovedOneNotFound()
  return membership
}

const WORKING: readonly AssistantRule[] = [
  AssistantRule.UNSPECIFIED,
  AssistantRule.READ,
  AssistantRule.APPROVAL,
  AssistantRule.GUARDED,
]

/** A rule of a later version counts as a pause. */
function isPaused({ assistantRule = AssistantRule.UNSPECIFIED }: Membership): boolean {
  return !WORKING.includes(assistantRule)
}

function mayWrite(membership: Membership, { proposes = false }: MemberRule): boolean {
  if (needsApproval(membership)) return proposes
  return (membership.assistantRule ?? AssistantRule.UNSPECIFIED) === AssistantRule.UNSPECIFIED
}

function refusedAssistant({ assistantRule = AssistantRule.READ }: Membership): StatusError {
  return new StatusError('PERMISSION_DENIED', REFUSALS[assistantRule] ?? 'This is not allowed.')
}

/** The same error whether or not the loved one exists elsewhere. */
function lovedOneNotFound(): StatusError {
  return new StatusError('NOT_FOUND', 'There is no loved one with this lovedOneId in your workspace.', {
    field: 'lovedOneId',
  })
}
