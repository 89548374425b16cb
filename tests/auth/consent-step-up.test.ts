import { MailKind } from '@family-inbox/proto/mail/v1/mail'
import anyTest, { type TestFn } from 'ava'
import type { Guest } from '../_family.ts'
import { Visitor } from '../_visitor.ts'
import { until } from '../_wait.ts'
import { type AuthStack, joinBehindGateway } from './_auth.ts'
import {
  authenticate,
  authorizeUrl,
  type Client,
  callbackOf,
  newPkce,
  redeem,
  registered,
  WEB_CLIENT,
} from './_oauth.ts'
import { codeIn, type Member, mailsTo, signInMember } from './_people.ts'

const test = anyTest.serial as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await joinBehindGateway()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

type Access = 'read' | 'approval' | 'write'

/** A browser on the pages of the application, and what it does to connect apps. */
function browserOf(s: AuthStack, person: Member) {
  const visitor = new Visitor({ stack: s.stack } as unknown as Guest)
  visitor.adopt('family_session', person.session)
  const begin = async (client: Client, more: Record<string, string> = {}) => {
    const pkce = newPkce()
    const asked = await visitor.get(authorizeUrl(client, pkce, { prompt: 'consent', ...more }))
    return { pkce, path: String(asked.headers.location) }
  }
  const choose = (path: string, access: Access, workspaceId = person.workspaceId) =>
    visitor.submit(path, [
      ...['profile:read', 'care_circle:read', 'care_circle:write'].map((scope): [string, string] => ['scope', scope]),
      ['workspace', workspaceId],
      ['access', access],
      ['decision', 'allow'],
    ])
  const allow = async (path: string, access: Access) => {
    const answer = await choose(path, access)
    return callbackOf(await visitor.get(String(answer.headers.location))).get('code')
  }
  return { visitor, begin, choose, allow }
}

async function elevenMinutesLater(s: AuthStack, { email }: Member): Promise<void> {
  const before = new Date(Date.now() - 11 * 60_000)
  const sessions = s.mongo.db().collection('sessions')
  await sessions.updateMany({ email }, { $set: { createdAt: before }, $unset: { verifiedAt: 1 } })
}

async function grantsOf(s: AuthStack, person: Member) {
  const { grants } = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await person.principal() })
  return grants
}

test('an old session connects no new app until I confirm it’s me, and then the app is connected in the same flow', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  await elevenMinutesLater(s, person)
  const { visitor, begin, choose, allow } = browserOf(s, person)
  const client = await registered(s)
  const { path, pkce } = await begin(client)
  for (const access of ['read', 'approval', 'write'] as const) {
    const refused = await choose(path, access)
    t.true(refused.headers.location?.startsWith(`${path}?access=${access}&`), access)
  }
  t.deepEqual(await grantsOf(s, person), [])
  t.is((await visitor.get(path)).headers.location, '/confirm')
  const question = (await visitor.get('/confirm')).text
  t.regex(question, /Before an app gets access/)
  t.true(question.includes(`action="${path}"`), 'one can say no here')
  await visitor.submit('/confirm/mail', {})
  const code = codeIn((await mailsTo(s, person.email, 2)).at(-1))
  t.is((await visitor.submit('/confirm/code', { code })).headers.location, path)
  t.regex((await visitor.get(path)).text, /value="approval" checked/)
  const { json, status } = await redeem(s, client, (await allow(path, 'approval')) ?? '', pkce)
  t.is(status, 200)
  t.is((await authenticate(s, json.access_token)).admission, 'ADMISSION_ADMITTED')
})

test('without confirming I can still say no', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  await elevenMinutesLater(s, person)
  const { visitor, begin } = browserOf(s, person)
  const { path } = await begin(await registered(s))
  const answer = await visitor.submit(path, { decision: 'deny' })
  t.is(callbackOf(await visitor.get(String(answer.headers.location))).get('error'), 'access_denied')
})

test('an app that I connected before goes through with what it has or less; more asks me to confirm, and keeps my choice', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { visitor, begin, choose, allow } = browserOf(s, person)
  const client = await registered(s)
  t.truthy(await allow((await begin(client)).path, 'approval'))
  await elevenMinutesLater(s, person)
  const again = await begin(client)
  t.regex((await visitor.get(again.path)).text, /value="approval" checked/)
  t.truthy(await allow(again.path, 'approval'))
  const more = await begin(client)
  const refused = String((await choose(more.path, 'write')).headers.location)
  t.is((await visitor.get(refused)).headers.location, '/confirm')
  t.is((await grantsOf(s, person))[0]?.access, 'ACCESS_APPROVAL')
  await visitor.submit('/confirm/mail', {})
  const code = codeIn((await mailsTo(s, person.email, 3)).at(-1))
  t.is((await visitor.submit('/confirm/code', { code })).headers.location, more.path)
  t.regex((await visitor.get(more.path)).text, /value="write" checked/)
  t.truthy(await allow(more.path, 'write'))
  t.deepEqual(
    (await grantsOf(s, person)).map(({ access }) => access),
    ['ACCESS_WRITE'],
  )
  await elevenMinutesLater(s, person)
  t.truthy(await allow((await begin(client)).path, 'read'))
  t.is((await choose((await begin(client)).path, 'write')).headers.location?.includes('more=1'), true)
})

test('asking for less does not lift the limit on what the app writes', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { visitor, begin, allow } = browserOf(s, person)
  const client = await registered(s)
  t.truthy(await allow((await begin(client)).path, 'approval'))
  await elevenMinutesLater(s, person)
  const { path } = await begin(client, { scope: 'profile:read' })
  const answer = await visitor.submit(path, { scope: 'profile:read', workspace: person.workspaceId, decision: 'allow' })
  t.true(callbackOf(await visitor.get(String(answer.headers.location))).has('code'))
  t.deepEqual(
    (await grantsOf(s, person)).map(({ access }) => access),
    ['ACCESS_APPROVAL'],
  )
})

test('another browser, another family and another app are new connections', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const first = browserOf(s, person)
  const client = await registered(s)
  t.truthy(await first.allow((await first.begin(client)).path, 'write'))
  const request = { name: 'Second family', ownerName: 'Ana', relationship: '' }
  const { workspaceId } = await s.careCircle.createWorkspace(request, { token: await person.principal() })
  await elevenMinutesLater(s, person)
  const isRefused = async ({ begin, choose }: typeof first, app: Client, family?: string) =>
    (await choose((await begin(app)).path, 'read', family)).headers.location?.includes('more=1')
  t.true(await isRefused(browserOf(s, person), client), 'whoever has only the session’s cookie')
  t.true(await isRefused(first, client, workspaceId))
  t.true(await isRefused(first, await registered(s)))
  t.is((await grantsOf(s, person)).length, 1)
})

test('I get one mail about each new connection, with where to pause it, and none when the app comes again', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { begin, allow } = browserOf(s, person)
  const alarms = () => s.mails.filter(({ kind, toAddress }) => kind === MailKind.ALARM && toAddress === person.email)
  const client = await registered(s, { ...WEB_CLIENT, client_name: 'Claude. See https://evil.example' })
  t.truthy(await allow((await begin(client)).path, 'read'))
  t.truthy(await allow((await begin(client)).path, 'write'))
  t.truthy(await allow((await begin(await registered(s))).path, 'read'))
  await until(async () => alarms().length >= 2)
  const waiting = {
    alarmDueAt: { $exists: true },
    _id: { $in: (await grantsOf(s, person)).map(({ id }) => id as never) },
  }
  await until(async () => (await s.mongo.db().collection('oauth_grants').countDocuments(waiting)) === 0)
  const mails = [...new Map(alarms().map((mail) => [mail.id, mail])).values()]
  t.is(mails.length, 2)
  t.regex(mails[0]?.subject ?? '', /was connected$/)
  t.notRegex(JSON.stringify(mails), /evil\.example/)
  t.true((await grantsOf(s, person)).some(({ id }) => mails[0]?.actionUrl.endsWith(`/settings/connected-apps/${id}`)))
})
