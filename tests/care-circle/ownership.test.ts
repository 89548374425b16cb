import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import anyTest, { type TestFn } from 'ava'
import { outcomeOf, statusOf } from '../_outcome.ts'
import { type CareCircle, type Circle, invitationFor, joinCircle, type Workspace } from './_circle.ts'

const test = (anyTest as TestFn<Circle>).serial

test.before(async (t) => {
  t.context = await joinCircle()
})
test.after.always((t) => t.context?.[Symbol.asyncDispose]())

type Ids = { invitationId: string; personId: string; codeId: string; lovedOneId: string }
type Attempt = (careCircle: CareCircle, ids: Ids, token: string) => Promise<unknown>

/** Every call that takes an id from a workspace. */
const ATTEMPTS: Record<string, Attempt> = {
  resendInvitation: (careCircle, { invitationId }, token) => careCircle.resendInvitation({ invitationId }, { token }),
  cancelInvitation: (careCircle, { invitationId }, token) => careCircle.cancelInvitation({ invitationId }, { token }),
  changeRole: (careCircle, { personId }, token) => careCircle.changeRole({ personId, role: Role.VIEWER }, { token }),
  removeMember: (careCircle, { personId }, token) => careCircle.removeMember({ personId }, { token }),
  transferOwnership: (careCircle, { personId }, token) => careCircle.transferOwnership({ personId }, { token }),
  createProviderCode: (careCircle, { lovedOneId }, token) => careCircle.createProviderCode({ lovedOneId }, { token }),
  cancelProviderCode: (careCircle, { codeId }, token) => careCircle.cancelProviderCode({ codeId }, { token }),
  listProviderCodes: (careCircle, { lovedOneId }, token) => careCircle.listProviderCodes({ lovedOneId }, { token }),
  renameLovedOne: (careCircle, { lovedOneId }, token) =>
    careCircle.renameLovedOne({ lovedOneId, name: 'Rosa' }, { token }),
  listCareEvents: (careCircle, { lovedOneId }, token) =>
    careCircle.listCareEvents(
      { lovedOneId, pageSize: 0, pageToken: '', since: undefined, until: undefined, eventTypes: [] },
      { token },
    ),
}

async function idsOf({ careCircle, person }: Circle, { owner, viewer, lovedOneId }: Workspace): Promise<Ids> {
  const { token } = owner
  const { invitationId } = await careCircle.inviteMember(invitationFor((await person()).email), { token })
  const { codeId } = await careCircle.createProviderCode({ lovedOneId }, { token })
  return { invitationId, personId: viewer.personId, codeId, lovedOneId }
}

test('another workspace’s ids look like unknown ones, for every call and role', async (t) => {
  const { careCircle, workspace } = t.context
  const [ours, theirs] = [await workspace(), await workspace()]
  const foreign = await idsOf(t.context, theirs)
  const missing = { invitationId: 'inv_none', personId: 'per_none', codeId: 'pc_none', lovedOneId: 'lo_none' }
  const sneaky = { ...foreign, personId: `../${theirs.workspaceId}/${foreign.personId}` }
  for (const [name, attempt] of Object.entries(ATTEMPTS))
    for (const { token } of [ours.owner, ours.coordinator, ours.viewer]) {
      const answer = await outcomeOf(attempt(careCircle, missing, token))
      t.regex(await statusOf(Promise.reject(answer)), /NOT_FOUND|PERMISSION_DENIED/, name)
      t.deepEqual(await outcomeOf(attempt(careCircle, foreign, token)), answer, name)
      t.deepEqual(await outcomeOf(attempt(careCircle, sneaky, token)), answer, name)
    }
  const { members } = await careCircle.listMembers({}, { token: theirs.viewer.token })
  t.is(members.length, 4)
  t.is((await careCircle.listProviderCodes({ lovedOneId: '' }, { token: theirs.viewer.token })).codes.length, 1)
})

test('malformed ids are answered as not found', async (t) => {
  const { careCircle, workspace } = t.context
  const { owner } = await workspace()
  for (const nonsense of [
    '',
    ' ',
    '\0',
    '{"$ne":null}',
    '$where',
    '__proto__',
    'constructor',
    '/',
    '\u202e',
    'x'.repeat(100_000),
  ])
    for (const [name, attempt] of Object.entries(ATTEMPTS)) {
      if (name === 'listProviderCodes' && nonsense === '') continue
      const ids = { invitationId: nonsense, personId: nonsense, codeId: nonsense, lovedOneId: nonsense }
      t.is(await statusOf(attempt(careCircle, ids, owner.token)), 'NOT_FOUND', `${name} ${nonsense.slice(0, 20)}`)
    }
})

test('only auth gets the people of a workspace for a page, and only of a signed-in member', async (t) => {
  const { workspace, as } = t.context
  const { workspaceId, owner } = await workspace()
  const ask = { principal: await owner.keyIn(workspaceId) }
  for (const service of ['site', 'gateway', 'inbox', 'pipe', 'sandbox'] as const) {
    const client = await as(service)
    t.is(await statusOf(client.describeWorkspace(ask)), 'PERMISSION_DENIED', service)
    t.is(await statusOf(client.describeWorkspace(ask, { token: owner.token })), 'PERMISSION_DENIED', service)
  }
  const auth = await as('auth')
  for (const principal of [ask.principal, owner.signedIn, 'forged', ''])
    t.deepEqual(await auth.describeWorkspace({ principal }), { workspace: undefined })
})

test('non-members and services without a caller get nothing', async (t) => {
  const { careCircle, workspace, person, as } = t.context
  const theirs = await workspace()
  const ids = await idsOf(t.context, theirs)
  const stranger = await person()
  const tokens = [stranger.signedIn, await stranger.keyIn(theirs.workspaceId), await stranger.keyIn('')]
  const more: Record<string, Attempt> = {
    ...ATTEMPTS,
    inviteMember: (client, _ids, token) => client.inviteMember(invitationFor('zoe@example.org'), { token }),
    listMembers: (client, _ids, token) => client.listMembers({}, { token }),
    getProfile: (client, _ids, token) => client.getProfile({}, { token }),
    listLovedOnes: (client, _ids, token) => client.listLovedOnes({}, { token }),
    addLovedOne: (client, _ids, token) => client.addLovedOne({ name: 'Rosa' }, { token }),
  }
  const site = await as('site')
  for (const [name, attempt] of Object.entries(more)) {
    for (const token of tokens) t.is(await statusOf(attempt(careCircle, ids, token)), 'PERMISSION_DENIED', name)
    t.is(await statusOf(attempt(site, ids, undefined as unknown as string)), 'PERMISSION_DENIED', name)
    t.is(await statusOf(attempt(careCircle, ids, 'forged')), 'UNAUTHENTICATED', name)
  }
})
