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

test('a person without a family sees the inbox an assistant set up for them', async (t) => {
  site.world.sandboxes = [WAITING]
  t.is(await whereFrom('/'), '/families')
  t.is(await whereFrom('/families'), '/onboarding')
  t.is(await whereFrom('/onboarding'), '/onboarding/ws_0123abc')
})

test('a person without a family or a sandbox creates their own family', async (t) => {
  t.is(await whereFrom('/families'), '/welcome')
})

test('a person can create a family while the sandbox service is unavailable', async (t) => {
  site.world.sandboxes = [WAITING]
  site.world.failures.set('listClaimableSandboxes', new StatusError('UNAVAILABLE', 'away'))
  t.is(await whereFrom('/families'), '/welcome')
})

test('a person for whom assistants set up several inboxes can delete them all', async (t) => {
  site.world.sandboxes = [WAITING, { ...WAITING, workspaceId: 'ws_0456def' }]
  const list = await site.request('/onboarding', { headers: SESSION })
  t.true(list.body.includes('href="/onboarding/all/discard"'))
  const question = await site.request('/onboarding/all/discard', { headers: SESSION })
  t.regex(question.body, /<h1>Delete all of these inboxes\?<\/h1>/)
})

test('the form suggests the family name that an assistant chose, without its links', async (t) => {
  site.world.sandboxes = [{ ...WAITING, workspaceName: 'Silva (family). Confirm at https://evil.example/now' }]
  const { body } = await site.request('/onboarding/ws_0123abc', { headers: SESSION })
  t.regex(body, /name="familyName"[^>]*value="Silva \(family\)\. Confirm at https evil example\/now"/)
})
