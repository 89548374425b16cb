import type { State } from '@family-inbox/workspace-kit/status-rule'
import test from 'ava'
import type { ConversationStatus } from '../models/conversation-status.ts'
import { mergeStatuses } from './merge-statuses.ts'

const open: State = { status: 'open' }
const anas: State = { status: 'taken', assigneeId: 'per_ana', assigneeName: 'Ana' }
const toms: State = { status: 'taken', assigneeId: 'per_tom', assigneeName: 'Tom' }
const done: State = { status: 'done', changedByName: 'Tom' }
const notNeeded: State = { status: 'not_needed', changedByName: 'Tom' }

function row(id: string, state: State, minute: number): ConversationStatus {
  const at = new Date(Date.UTC(2026, 4, 1, 8, minute))
  return { _id: id, workspaceId: 'w', lovedOneId: 'l', ...state, changedAt: at, mailAt: at, version: minute }
}

test('of joined conversations, what somebody has comes first, then open work, then the last change', (t) => {
  const merged = (...states: State[]) => mergeStatuses(states.map((state, index) => row(`r${index}`, state, index)))
  t.like(merged(done, toms, open), { status: 'taken', assigneeName: 'Tom', version: 3 })
  t.like(merged(toms, anas), { assigneeName: 'Ana' })
  t.like(merged(done, open, notNeeded), { status: 'open' })
  t.like(merged(done, notNeeded), { status: 'not_needed' })
  t.is(merged(done, open)?.mailAt.toISOString(), '2026-05-01T08:01:00.000Z')
  t.is(mergeStatuses([]), undefined)
})
