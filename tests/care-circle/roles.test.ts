import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf } from '../_outcome.ts'
import { type Circle, type Fellow, joinCircle } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

test.before(async (t) => {
  t.context = await joinCircle()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

const LAST_OWNER = {
  status: 'FAILED_PRECONDITION',
  message: 'Every family needs an owner. Make somebody else the owner first.',
}

async function rolesIn({ careCircle }: Circle, { token }: Fellow): Promise<Record<string, Role>> {
  const { members } = await careCircle.listMembers({}, { token })
  return Object.fromEntries(members.map(({ personId, role }) => [personId, role]))
}

test('only the owner changes roles, removes others and transfers ownership', async (t) => {
  const { careCircle, workspace, join } = t.context
  const { owner, coordinator, viewer, workspaceId } = await workspace()
  const { personId } = await join(workspaceId, owner.token, Role.VIEWER)
  const before = await rolesIn(t.context, owner)
  for (const { token } of [coordinator, viewer]) {
    t.is(await statusOf(careCircle.changeRole({ personId, role: Role.COORDINATOR }, { token })), 'PERMISSION_DENIED')
    t.is(await statusOf(careCircle.removeMember({ personId }, { token })), 'PERMISSION_DENIED')
    t.is(await statusOf(careCircle.transferOwnership({ personId }, { token })), 'PERMISSION_DENIED')
  }
  const self = careCircle.changeRole({ personId: viewer.personId, role: Role.OWNER }, { token: viewer.token })
  t.is(await statusOf(self), 'PERMISSION_DENIED')
  t.deepEqual(await rolesIn(t.context, owner), before)
})

test('the owner may give any role to any member, effective at the next call', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner, viewer, lovedOneId } = await workspace()
  const mayWrite = { [Role.OWNER]: 'OK', [Role.COORDINATOR]: 'OK', [Role.VIEWER]: 'PERMISSION_DENIED' } as const
  for (const role of [Role.COORDINATOR, Role.VIEWER, Role.OWNER, Role.VIEWER] as const) {
    await careCircle.changeRole({ personId: viewer.personId, role }, { token: owner.token })
    t.is((await careCircle.getProfile({}, { token: viewer.token })).role, role)
    t.is(await statusOf(careCircle.createProviderCode({ lovedOneId }, { token: viewer.token })), mayWrite[role], role)
  }
  for (const role of [Role.UNSPECIFIED, 'ROLE_NONSENSE' as Role]) {
    const refusal = await outcomeOf(careCircle.changeRole({ personId: viewer.personId, role }, { token: owner.token }))
    t.like(refusal, { status: 'INVALID_ARGUMENT', detail: { field: 'role' } })
  }
})

test('members who may write rename a loved one, whose id and position stay', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner, coordinator, viewer, lovedOneId } = await workspace()
  await careCircle.addLovedOne({ name: 'Jorge Almeida' }, { token: owner.token })
  const { lovedOne } = await careCircle.renameLovedOne({ lovedOneId, name: ' Mum ' }, { token: coordinator.token })
  t.deepEqual(lovedOne, { id: lovedOneId, name: 'Mum' })
  const refused = careCircle.renameLovedOne({ lovedOneId, name: 'Mine' }, { token: viewer.token })
  t.is(await statusOf(refused), 'PERMISSION_DENIED')
  for (const name of ['', ' ', 'x'.repeat(121), 'two\nlines']) {
    const refusal = await outcomeOf(careCircle.renameLovedOne({ lovedOneId, name }, { token: owner.token }))
    t.like(refusal, { status: 'INVALID_ARGUMENT', detail: { field: 'name' } })
  }
  const { lovedOnes } = await careCircle.listLovedOnes({}, { token: viewer.token })
  t.deepEqual(
    lovedOnes.map(({ name }) => name),
    ['Mum', 'Jorge Almeida'],
  )
})

test('the last owner cannot leave, be demoted, or be removed', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner } = await workspace()
  const { personId, token } = owner
  t.like(await outcomeOf(careCircle.removeMember({ personId }, { token })), LAST_OWNER)
  for (const role of [Role.COORDINATOR, Role.VIEWER])
    t.like(await outcomeOf(careCircle.changeRole({ personId, role }, { token })), LAST_OWNER)
  t.is((await careCircle.getProfile({}, { token })).role, Role.OWNER)
  t.is(await statusOf(careCircle.changeRole({ personId, role: Role.OWNER }, { token })), 'OK')
})

test('other members may leave; from the next call on they have no access', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner, coordinator, viewer } = await workspace()
  await careCircle.removeMember({ personId: viewer.personId }, { token: viewer.token })
  await careCircle.removeMember({ personId: coordinator.personId }, { token: owner.token })
  for (const { token } of [viewer, coordinator])
    t.is(await statusOf(careCircle.listMembers({}, { token })), 'PERMISSION_DENIED')
  t.deepEqual(Object.keys(await rolesIn(t.context, owner)), [owner.personId])
})

test('a transfer makes the other member owner and the former owner coordinator', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner, viewer } = await workspace()
  await careCircle.transferOwnership({ personId: viewer.personId }, { token: owner.token })
  t.like(await rolesIn(t.context, viewer), { [viewer.personId]: Role.OWNER, [owner.personId]: Role.COORDINATOR })
  const again = careCircle.transferOwnership({ personId: viewer.personId }, { token: owner.token })
  t.is(await statusOf(again), 'PERMISSION_DENIED')
  t.like(await outcomeOf(careCircle.transferOwnership({ personId: viewer.personId }, { token: viewer.token })), {
    status: 'INVALID_ARGUMENT',
    message: 'You are already the owner.',
  })
})

test('an owner remains when two owners leave or demote each other at the same moment', async (t) => {
  const { careCircle, workspace } = t.context
  type Act = (self: Fellow, other: Fellow) => Promise<unknown>
  const acts = {
    leaves: ({ personId, token }) => careCircle.removeMember({ personId }, { token }),
    'steps down': ({ personId, token }) => careCircle.changeRole({ personId, role: Role.VIEWER }, { token }),
    'demotes the other': ({ token }, { personId }) => careCircle.changeRole({ personId, role: Role.VIEWER }, { token }),
    'removes the other': ({ token }, { personId }) => careCircle.removeMember({ personId }, { token }),
  } satisfies Record<string, Act>
  const races = [
    ['leaves', 'leaves'],
    ['leaves', 'demotes the other'],
    ['steps down', 'steps down'],
    ['steps down', 'removes the other'],
    ['demotes the other', 'demotes the other'],
    ['removes the other', 'removes the other'],
  ] as const
  for (const [mine, theirs] of races) {
    const { owner, coordinator, viewer } = await workspace()
    await careCircle.changeRole({ personId: coordinator.personId, role: Role.OWNER }, { token: owner.token })
    const statuses = await Promise.all([
      statusOf(acts[mine](owner, coordinator)),
      statusOf(acts[theirs](coordinator, owner)),
    ])
    const owners = Object.values(await rolesIn(t.context, viewer)).filter((role) => role === Role.OWNER)
    t.is(owners.length, 1, `one ${mine}, one ${theirs}: ${statuses}`)
  }
})

test('of eight concurrent transfers, one succeeds', async (t) => {
  const { careCircle, workspace, join } = t.context
  const { owner, viewer, workspaceId } = await workspace()
  const heirs: Fellow[] = []
  for (let n = 0; n < 8; n++) heirs.push(await join(workspaceId, owner.token, Role.VIEWER))
  const hand = ({ personId }: Fellow) => outcomeOf(careCircle.transferOwnership({ personId }, { token: owner.token }))
  const outcomes = await Promise.all(heirs.map(hand))
  t.is(outcomes.filter((outcome) => !(outcome instanceof StatusError)).length, 1)
  const roles = await rolesIn(t.context, viewer)
  t.is(Object.values(roles).filter((role) => role === Role.OWNER).length, 1)
  t.is(roles[owner.personId], Role.COORDINATOR)
})

test('in 50 trials of removing a member or taking their role while they write, no call that starts after the answer succeeds', async (t) => {
  const { careCircle, workspace, rows } = t.context
  const { owner, coordinator, workspaceId } = await workspace()
  const { personId, token } = coordinator
  const write = () => statusOf(careCircle.cancelInvitation({ invitationId: 'inv_none' }, { token }))
  let running = true
  const writing = [1, 2, 3].map(async () => {
    while (running) await write()
  })
  const row = await rows('members').findOne({ _id: `${workspaceId}/${personId}` })
  for (let trial = 0; trial < 50; trial++) {
    if (trial % 2) await careCircle.removeMember({ personId }, { token: owner.token })
    else await careCircle.changeRole({ personId, role: Role.VIEWER }, { token: owner.token })
    const statuses = await Promise.all([write(), write(), write()])
    t.deepEqual(new Set(statuses), new Set(['PERMISSION_DENIED']))
    await rows('members').replaceOne({ _id: row?._id }, row ?? {}, { upsert: true })
  }
  running = false
  await Promise.all(writing)
})

test('a person sees only their own workspaces, with their role in each', async (t) => {
  const { careCircle, workspace, person } = t.context
  const [first, second] = [await workspace({ workspace: 'First' }), await workspace({ workspace: 'Second' })]
  const guest = await person('Zoe')
  for (const [{ owner }, role] of [
    [second, Role.COORDINATOR],
    [first, Role.VIEWER],
  ] as const) {
    const words = { email: guest.email, role, relationship: '', message: '', idempotencyKey: '' }
    const { token } = await careCircle.inviteMember(words, { token: owner.token })
    await careCircle.acceptInvitation({ token, name: 'Zoe' }, { token: guest.signedIn })
  }
  t.deepEqual(await careCircle.listWorkspaces({}, { token: guest.signedIn }), {
    workspaces: [
      { id: second.workspaceId, name: 'Second', role: Role.COORDINATOR },
      { id: first.workspaceId, name: 'First', role: Role.VIEWER },
    ],
  })
  const withKey = careCircle.listWorkspaces({}, { token: await guest.keyIn(first.workspaceId) })
  t.is(await statusOf(withKey), 'FAILED_PRECONDITION')
  t.deepEqual(await careCircle.listWorkspaces({}, { token: (await person()).signedIn }), { workspaces: [] })
})
