import { AssistantRule, type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { type Call, requirePrincipal } from '@family-inbox/service-kit/rpc/call'
import type { Principal } from '@family-inbox/service-kit/rpc/identity'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import { isAssistant } from '@family-inbox/workspace-kit/assistants'
import { applyRule, type MemberRule } from '@family-inbox/workspace-kit/membership'
import { guardState } from './assistant-guard.ts'
import type { Context } from './context.ts'
import { type Member, memberId } from './models/member.ts'

/** The first line of each handler. */
export async function requireMember(ctx: Context, call: Call, rule: MemberRule = {}): Promise<Membership> {
  const caller = requirePrincipal(call)
  const [membership] = await findMemberships(ctx, [{ caller, lovedOneId: rule.lovedOneId ?? '' }])
  return applyRule(membership as Membership, rule)
}

export type MembershipQuery = { caller: Principal | undefined; lovedOneId: string }

export async function findMemberships(ctx: Context, queries: MembershipQuery[]): Promise<Membership[]> {
  const memberIds = queries.flatMap(({ caller }) => (caller ? [idOf(caller)] : []))
  const lovedOneIds = queries.flatMap(({ lovedOneId }) => (lovedOneId === '' ? [] : [lovedOneId]))
  const [members, lovedOnes] = await Promise.all([ctx.findMembers(memberIds), ctx.findLovedOnes(lovedOneIds)])
  const memberOf = new Map(members.map((member) => [member._id, member]))
  const workspaceOf = new Map(lovedOnes.map((lovedOne) => [lovedOne._id, lovedOne.workspaceId]))
  return queries.map(({ caller, lovedOneId }) => {
    const member = caller && memberOf.get(idOf(caller))
    if (!member) return NOT_A_MEMBER
    return { ...toMembership(member, workspaceOf.get(lovedOneId) === member.workspaceId), ...limitsOf(member, caller) }
  })
}

const NOT_A_MEMBER: Membership = {
  member: false,
  personId: '',
  workspaceId: '',
  role: Role.UNSPECIFIED,
  name: '',
  lovedOneFound: false,
  since: undefined,
}

function idOf(caller: Principal): string {
  return memberId(caller.workspaceId, caller.personId)
}

function toMembership({ personId, workspaceId, role, name, joinedAt }: Member, lovedOneFound: boolean): Membership {
  return { member: true, personId, workspaceId, role, name, lovedOneFound, since: joinedAt }
}

/** The strictest rule that applies; nothing limits a person. */
function limitsOf(member: Member, caller: Principal): Partial<Membership> {
  const discloses = member.assistants?.disclosed ? { disclosesAssistants: true } : {}
  if (!isAssistant(caller)) return discloses
  const guard = guardState(member, caller)
  return { ...discloses, ...guard, assistantRule: ruleFor(caller, member, guard.guardMark !== undefined) }
}

function ruleFor(
  { access }: Principal,
  { assistants: { paused, approvalRequired } = {}, assistantsPaused: ownPaused }: Member,
  isGuarded: boolean,
): AssistantRule {
  if (paused) return AssistantRule.PAUSED_BY_OWNER
  if (ownPaused) return AssistantRule.PAUSED_BY_PERSON
  if (access === 'read') return AssistantRule.READ
  if (access !== undefined || approvalRequired) return AssistantRule.APPROVAL
  return isGuarded ? AssistantRule.GUARDED : AssistantRule.UNSPECIFIED
}

/** Tool keys and grants have none. @throws StatusError FAILED_PRECONDITION */
export function requireProvenEmail(call: Call): string {
  const { email } = requirePrincipal(call)
  if (email !== undefined) return email
  throw new StatusError('FAILED_PRECONDITION', 'Sign in with your email to do this.')
}
