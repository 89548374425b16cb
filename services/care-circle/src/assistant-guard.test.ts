import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import test from 'ava'
import { guardState } from './assistant-guard.ts'
import type { GuardMark, Member } from './models/member.ts'

const caller = {
  kind: 'principal' as const,
  personId: 'per_1',
  workspaceId: 'ws_1',
  credentialId: 'key_1',
  holder: 'gateway',
  audience: [],
}

const stateWith = (guarded: boolean, ...guardMarks: GuardMark[]) => guardState(memberWith(guarded, guardMarks), caller)

function memberWith(guarded: boolean, guardMarks: GuardMark[]): Member {
  const { workspaceId, personId } = caller
  const named = { name: 'Ana', email: '', relationship: '', role: Role.OWNER, joinedAt: new Date(0) }
  return { _id: 'ws_1/per_1', workspaceId, personId, ...named, assistants: { guarded }, guardMarks }
}

const mark = { id: 'gm_1', credentialId: 'key_1', createdAt: new Date(0) }

test('a mark counts for its own key, and only while the owner guards the family', (t) => {
  t.deepEqual(stateWith(true, mark), { guardMark: 'gm_1', needsGuardMark: false })
  t.deepEqual(stateWith(true, { ...mark, credentialId: 'key_2' }), { needsGuardMark: true })
  t.deepEqual(stateWith(false, mark), {})
})

test('a reading after a proposal needs a mark of its own, while the earlier one still counts', (t) => {
  t.deepEqual(stateWith(true, { ...mark, proposed: true }), { guardMark: 'gm_1', needsGuardMark: true })
})

test('a mark that may not be durable yet counts, and is asked for again', (t) => {
  t.deepEqual(stateWith(true, { ...mark, createdAt: new Date() }), { guardMark: 'gm_1', needsGuardMark: true })
})

test('a mark counts for a few seconds after the decision, for reads that were underway', (t) => {
  const decided = { ...mark, proposed: true }
  const [past, soon] = [new Date(Date.now() - 1), new Date(Date.now() + 1000)]
  t.deepEqual(stateWith(true, { ...decided, endsAt: past }), { needsGuardMark: true })
  t.deepEqual(stateWith(true, { ...decided, endsAt: soon }), { guardMark: 'gm_1', needsGuardMark: true })
})
