import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { approveProposal, type ProposalKind } from './decide-proposals.ts'
import type { Proposal } from './proposals.ts'

const MEMBER = { workspaceId: 'ws_1', personId: 'per_1', name: 'Ana' }

/** One waiting proposal, and what a kind does about it. */
function world(kind: Partial<ProposalKind<Proposal>>) {
  const row = { _id: 'prop_1', state: 'waiting', expiresAt: new Date(Date.now() + 60_000) } as Proposal
  const change = (update: { $set: Partial<Proposal> }) => Object.assign(row, update.$set)
  const rows = {
    findOne: () => ({ readConcern: () => ({ lean: async () => ({ ...row }) }) }),
    findOneAndUpdate: (_: object, update: { $set: Partial<Proposal> }) => ({
      lean: async () => ({ ...change(update) }),
    }),
    updateOne: async (filter: { state?: string }, update: { $set: Partial<Proposal> }) => {
      if (filter.state === undefined || filter.state === row.state) change(update)
    },
  }
  const whole = { rows, noun: 'reply', send: async () => ({}), endGuard: async () => {}, crashPoint() {}, ...kind }
  return {
    row,
    approve: () => approveProposal(whole as unknown as ProposalKind<Proposal>, MEMBER, row._id, async () => ({})),
  }
}

const late = async () => {
  throw new StatusError('DEADLINE_EXCEEDED', 'Too late.')
}

test('what was not sent waits for the members again', async (t) => {
  const { row, approve } = world({ send: late })
  await t.throwsAsync(approve(), { message: 'Too late.' })
  t.is(row.state, 'waiting')
})

test('what was sent never waits again, even if its mark cannot be ended now; approving it again finishes it', async (t) => {
  const tries = [late, async () => {}]
  const { row, approve } = world({ endGuard: async () => tries.shift()?.() })
  await t.throwsAsync(approve(), { message: 'Too late.' })
  t.is(row.state, 'approved')
  t.is((await approve()).state, 'sent')
})
