import { AssistantRule, type Membership, Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import type { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { applyRule, type MemberRule } from './membership.ts'

const owner: Membership = {
  member: true,
  personId: 'per_1',
  workspaceId: 'ws_1',
  role: Role.OWNER,
  name: 'Ana',
  lovedOneFound: true,
  since: undefined,
}

const refusalOf = (membership: Partial<Membership>, rule: MemberRule): string | undefined => {
  try {
    applyRule({ ...owner, ...membership }, rule)
    return undefined
  } catch (error) {
    return (error as StatusError).message
  }
}

test('a paused assistant may not even read, and hears who can resume it', (t) => {
  for (const rule of [{}, { write: true }, { write: true, proposes: true }]) {
    t.regex(refusalOf({ assistantRule: AssistantRule.PAUSED_BY_OWNER }, rule) ?? '', /Only the owner can resume/)
    t.regex(refusalOf({ assistantRule: AssistantRule.PAUSED_BY_PERSON }, rule) ?? '', /Only that person can resume/)
  }
})

test('a read-only assistant reads and writes nothing, not even a proposal', (t) => {
  const readOnly = { assistantRule: AssistantRule.READ }
  t.is(refusalOf(readOnly, {}), undefined)
  t.regex(refusalOf(readOnly, { write: true }) ?? '', /You may only read/)
  t.regex(refusalOf(readOnly, { write: true, proposes: true }) ?? '', /You may only read/)
})

test('an assistant that needs approval writes only where its writing can wait', (t) => {
  const needsApproval = { assistantRule: AssistantRule.APPROVAL }
  t.is(refusalOf(needsApproval, { write: true, proposes: true }), undefined)
  t.regex(refusalOf(needsApproval, { write: true }) ?? '', /cannot wait for approval/)
  t.regex(refusalOf({ ...needsApproval, role: Role.VIEWER }, { write: true, proposes: true }) ?? '', /Viewers/)
})

test('an assistant that read mail of an unverified sender writes only where its writing can wait, and hears for how long', (t) => {
  const guarded = { assistantRule: AssistantRule.GUARDED }
  t.is(refusalOf(guarded, {}), undefined)
  t.is(refusalOf(guarded, { write: true, proposes: true }), undefined)
  t.regex(refusalOf(guarded, { write: true }) ?? '', /unverified sender.*after a family member has sent or declined/)
})

test('a rule of a later version is refused, not ignored', (t) => {
  t.truthy(refusalOf({ assistantRule: AssistantRule.UNRECOGNIZED }, { write: true, proposes: true }))
})
