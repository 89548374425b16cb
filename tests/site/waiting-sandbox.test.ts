import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest from 'ava'
import { openSite } from './_site.ts'
import { newWorld } from './_world.ts'

const SESSION = { cookie: 'family_session=secret' }
const WAITING = {
  workspaceId: 'ws_0123abc',
  familyName: 'Silva family (sandbox)',
  workspaceName: 'Silva family',
  lovedOneName: 'Rosa Silva',
  inboxAddress: 'abc@family-inbox.test',
  careContext: '',
  inviteDrafts: [],
  messageCount: 0,
  createdAt: new Date(),
  expiresAt: new Date(),
}

const test = anyTest.serial
const site = await openSite()
test.beforeEach(() => {
  Object.assign(site.world, newWorld(), { workspaces: [], workspaceId: '' })
  site.world.sessions.add('secret')
})
test.after.always(() => site[Symbol.asyncDispose]())

const whereFrom = async (path: string) => (await site.request(path, { headers: SESSION })).headers.location

test('who has no household is led to what an assistant opened for them', async (t) => {
  site.world.sandboxes = [WAITING]
  t.is(await whereFrom('/'), '/families')
  t.is(await whereFrom('/families'), '/onboarding')
  t.is(await whereFrom('/onboarding'), '/onboarding/ws_0123abc')
})

test('who has none, and nothing waits for, makes their own', async (t) => {
  t.is(await whereFrom('/families'), '/welcome')
})

test('who has none can make their own while nobody can tell whether something waits', async (t) => {
  site.world.sandboxes = [WAITING]
  site.world.failures.set('listClaimableSandboxes', new StatusError('UNAVAILABLE', 'away'))
  t.is(await whereFrom('/families'), '/welcome')
})
