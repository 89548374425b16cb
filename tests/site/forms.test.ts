import { Role } from '@family-inbox/proto/carecircle/v1/care_circle'
import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest from 'ava'
import { cookiesOf, openSite, setCookie } from './_site.ts'
import { CODE, newWorld } from './_world.ts'

const SESSION = { cookie: 'family_session=secret' }

// Serial, because the tests share one site and replace its world.
const test = anyTest.serial
const site = await openSite()
test.beforeEach(() => Object.assign(site.world, newWorld()))
test.after.always(() => site[Symbol.asyncDispose]())

function signIn() {
  site.world.sessions.add('secret')
}

const methodsOf = () => site.world.calls.map(({ method }) => method)

test('a person signs in with a code, and their email address never appears in a URL', async (t) => {
  const asked = await site.request('/sign-in', { form: { email: 'ana@example.org' } })
  t.is(asked.status, 303)
  t.is(asked.headers.location, '/sign-in/code')
  const question = await site.request('/sign-in/code', { headers: { cookie: cookiesOf(asked) } })
  t.true(question.body.includes('ana@example.org'))
  const answered = await site.request('/sign-in/code', { form: { code: CODE }, headers: { cookie: cookiesOf(asked) } })
  t.is(answered.status, 303)
  t.is(answered.headers.location, '/')
  const home = await site.request('/', { headers: { cookie: cookiesOf(answered) } })
  t.true(home.body.includes('The Martin family'))
})

test('while the inbox is away I can still stop an assistant', async (t) => {
  signIn()
  for (const method of ['getNoteAccess', 'listSubjects'])
    site.world.failures.set(method, new StatusError('UNAVAILABLE', 'away'))
  for (const path of ['/settings/assistants', '/settings/agent-activity']) {
    const { status, body } = await site.request(path, { headers: SESSION })
    t.is(status, 200, path)
    t.true(body.includes('Pause<span class="unseen"> Claude</span>'), path)
  }
  const { status } = await site.request('/settings/connected-apps/grant_1', { form: { pause: 'on' }, headers: SESSION })
  t.is(status, 303)
  t.truthy(site.world.settings.grants.find(({ id }) => id === 'grant_1')?.pausedAt)
  site.world.failures.clear()
})

test('auth gets the client address from the gateway and the browser’s name', async (t) => {
  const headers = { 'x-forwarded-for': '203.0.113.9', 'user-agent': 'A browser' }
  const asked = await site.request('/sign-in', { form: { email: 'ana@example.org' }, headers })
  await site.request('/sign-in/code', { form: { code: CODE }, headers: { ...headers, cookie: cookiesOf(asked) } })
  const request = (method: string) => site.world.calls.find((call) => call.method === method)?.request
  t.is(request('startSignIn')?.clientAddress, '203.0.113.9')
  t.is(request('finishSignIn')?.userAgent, 'A browser')
})

for (const https of [true, false])
  test(`scripts and other sites cannot reach our cookies ${https ? 'on https' : 'on a local installation'}`, async (t) => {
    await using site = await openSite(https ? { inboxUrl: 'https://inbox.example' } : {})
    const prefix = https ? '__Host-' : ''
    const asked = await site.request('/sign-in', { form: { email: 'ana@example.org' } })
    const challenge = setCookie(asked, `${prefix}family_sign_in`) ?? ''
    const answered = await site.request('/sign-in/code', {
      form: { code: CODE },
      headers: { cookie: cookiesOf(asked) },
    })
    const session = setCookie(answered, `${prefix}family_session`) ?? ''
    for (const cookie of [challenge, session]) {
      t.regex(cookie, /; Path=\//)
      t.regex(cookie, /; HttpOnly/)
      t.regex(cookie, /; SameSite=Lax/)
      t.is(/; Secure/.test(cookie), https)
      t.notRegex(cookie, /Domain/i)
    }
    t.regex(challenge, /Max-Age=600;/)
    t.regex(setCookie(answered, `${prefix}family_sign_in`) ?? '', /Max-Age=0;/)
  })

test('a cookie without the __Host- prefix is ignored on https', async (t) => {
  await using site = await openSite({ inboxUrl: 'https://inbox.example' })
  site.world.sessions.add('secret')
  t.is((await site.request('/', { headers: { cookie: 'family_session=secret' } })).headers.location, '/sign-in')
  t.is((await site.request('/', { headers: { cookie: '__Host-family_session=secret' } })).status, 200)
})

test('signing in ends the browser’s previous session', async (t) => {
  signIn()
  const asked = await site.request('/sign-in', { form: { email: 'ana@example.org' } })
  const headers = { cookie: `${SESSION.cookie}; ${cookiesOf(asked)}` }
  await site.request('/sign-in/code', { form: { code: '00000000' }, headers })
  t.false(methodsOf().includes('revokeSessions'), 'a wrong code ends no session')
  const answered = await site.request('/sign-in/code', { form: { code: CODE }, headers })
  t.deepEqual([...site.world.sessions], [cookiesOf(answered).match(/family_session=([^;]+)/)?.[1]])
})

test('a code only works in the browser that requested it', async (t) => {
  const answered = await site.request('/sign-in/code', { form: { code: CODE } })
  t.is(answered.headers.location, '/sign-in')
  t.false(methodsOf().includes('finishSignIn'))
})

const forms: [string, Record<string, string>][] = [
  ['/sign-in', { email: 'ana@example.org' }],
  ['/sign-in/code', { code: CODE }],
  ['/sign-in/resend', {}],
  ['/sign-out', {}],
  ['/invitation/tok_1', { name: 'Ana' }],
  ['/welcome', { lovedOne: 'Mum', yourName: 'Ana', familyName: 'Us' }],
  ['/families', { workspace: 'ws_martin' }],
  ['/care-circle/loved-ones/new', { name: 'Mum' }],
  ['/care-circle/loved-ones/lo_rosa/address', {}],
]
const strangers: [string, Record<string, string>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://www.example' }],
  ['another site in an old browser', { origin: 'https://evil.example' }],
  ['a sandboxed frame in an old browser', { origin: 'null' }],
]
for (const [path, form] of forms)
  test(`${path} refuses a form sent from another site`, async (t) => {
    signIn()
    for (const [who, headers] of strangers) {
      const answer = await site.request(path, { form, headers: { ...SESSION, ...headers } })
      t.is(answer.status, 403, who)
      t.deepEqual(site.world.calls, [], 'no service is called')
      t.is(answer.headers['set-cookie'], undefined)
    }
  })

test('signing in returns to the original page, and never to another site', async (t) => {
  const ask = async (returnTo: string) => {
    const asked = await site.request('/sign-in', { form: { email: 'ana@example.org', return_to: returnTo } })
    const headers = { cookie: cookiesOf(asked) }
    return (await site.request('/sign-in/code', { form: { code: CODE }, headers })).headers.location
  }
  t.is(await ask('/consent/uid_1'), '/consent/uid_1')
  for (const returnTo of ['https://evil.example', '//evil.example', '/\\evil.example', '/%2f%2fevil.example'])
    t.is(await ask(returnTo), '/')
})

test('a forged sign-in cookie cannot redirect to another site', async (t) => {
  const write = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = write({ challenge: 'c', email: 'ana@example.org', returnTo: 'https://evil.example' })
  const headers = { cookie: `family_sign_in=${forged}` }
  t.is((await site.request('/sign-in/code', { form: { code: CODE }, headers })).headers.location, '/')
  for (const value of ['', 'x', write([]), write({ challenge: 1 }), write({ email: '<b>' }), 'a'.repeat(3000)]) {
    const answer = await site.request('/sign-in/code', { headers: { cookie: `family_sign_in=${value}` } })
    t.is(answer.headers.location, '/sign-in')
  }
})

test('a signed-in person skips the sign-in page', async (t) => {
  signIn()
  const answer = await site.request('/sign-in?return_to=/consent/uid_1', { headers: SESSION })
  t.is(answer.headers.location, '/consent/uid_1')
  t.is((await site.request('/sign-in?return_to=//evil.example', { headers: SESSION })).headers.location, '/')
})

test('a page for members sends everyone else to sign in first', async (t) => {
  t.is((await site.request('/consent/uid_1')).headers.location, '/sign-in?return_to=%2Fconsent%2Fuid_1')
  t.is((await site.request('/welcome')).headers.location, '/sign-in')
})

test('signing out ends the session in auth, and keeps it when auth fails', async (t) => {
  signIn()
  site.world.failures.set('revokeSessions', new StatusError('UNAVAILABLE', 'away'))
  const failed = await site.request('/sign-out', { form: {}, headers: SESSION })
  t.is(failed.status, 503)
  t.is(failed.headers['set-cookie'], undefined)
  site.world.failures.clear()
  const done = await site.request('/sign-out', { form: {}, headers: SESSION })
  t.is(done.headers.location, '/signed-out')
  t.regex(setCookie(done, 'family_session') ?? '', /^family_session=; Max-Age=0;/)
  t.is(site.world.sessions.size, 0)
})

test('onboarding creates a family with its owner, a loved one and an address', async (t) => {
  signIn()
  Object.assign(site.world, { workspaces: [], workspaceId: '', lovedOnes: [] })
  t.is((await site.request('/', { headers: SESSION })).headers.location, '/families')
  t.is((await site.request('/families', { headers: SESSION })).headers.location, '/welcome')
  const form = { lovedOne: 'Mum', relationship: 'daughter', yourName: 'Ana', familyName: 'The Martins' }
  const answered = await site.request('/welcome', { form: { lovedOne: 'Mum', step: '0' }, headers: SESSION })
  t.is(answered.headers.location, '/welcome?step=1')
  const cookie = `${SESSION.cookie}; ${cookiesOf(answered)}`
  const asked = await site.request('/welcome?step=1', { headers: { cookie } })
  t.true(asked.body.includes('Who are you?') && asked.body.includes('value="Mum"'))
  const made = await Promise.all(
    [1, 2].map(() => site.request('/welcome', { form: { ...form, step: '2', key: 'k' }, headers: SESSION })),
  )
  const QUESTION = /^\/settings\/notifications\/first\?return_to=%2Fforwarding%2Flo_/
  for (const { headers } of made) t.regex(String(headers.location), QUESTION)
  const keys = site.world.calls.filter(({ method }) => method === 'createWorkspace').map(({ request }) => request)
  t.is(keys[0]?.idempotencyKey, 'form:k')
  t.deepEqual(keys[0], keys[1])
  const home = await site.request('/care-circle', { headers: SESSION })
  t.true(home.body.includes('The Martins'))
  t.true(home.body.includes('lo-1@family-inbox.test'))
})

test('only the invited person can accept an invitation', async (t) => {
  signIn()
  const invitation = { token: 'tok_1', workspaceName: 'The Okafors', invitedByName: 'Ngozi', role: Role.VIEWER }
  site.world.invitation = { ...invitation, email: 'somebody@example.com' }
  const stranger = await site.request('/invitation/tok_1')
  t.false(stranger.body.includes('somebody@example.com') || stranger.body.includes('Okafor'))
  const sent = await site.request('/sign-in/invitation', { form: { token: 'tok_1' } })
  t.is(sent.headers.location, '/sign-in/code')
  const { request } = site.world.calls.findLast(({ method }) => method === 'startSignIn') ?? {}
  t.is(request?.email, 'somebody@example.com')
  const code = await site.request('/sign-in/code', { headers: { cookie: cookiesOf(sent) } })
  t.regex(code.body, /We sent a code to <strong class="address"><bdi>a•••@e•••\.org/)
  const [, value = ''] = /family_sign_in=([\w-]+)/.exec(cookiesOf(sent)) ?? []
  t.regex(Buffer.from(value, 'base64url').toString(), /"email":"a•••/)
  t.notRegex(Buffer.from(value, 'base64url').toString(), /somebody/)
  const wrong = await site.request('/invitation/tok_1', { headers: SESSION })
  t.true(wrong.body.includes('This invitation is for another address'))
  t.false(wrong.body.includes('Okafor'))
  site.world.invitation = { ...invitation, email: 'ana@example.org' }
  const accepted = await site.request('/invitation/tok_1', { form: { name: 'Ana' }, headers: SESSION })
  t.is(accepted.headers.location, '/settings/notifications/first')
  t.is(site.world.workspaceId, 'ws_invited')
  t.is((await site.request('/invitation/tok_1', { headers: SESSION })).status, 404)
})

test('the consent page passes the browser’s cookies to auth, and asks again when nothing is selected', async (t) => {
  signIn()
  site.world.consent = {
    uid: 'uid_1',
    clientName: 'Claude',
    clientUri: 'javascript:alert(1)',
    redirectHost: 'claude.ai',
    scopes: ['profile:read', 'care_circle:read', 'care_circle:write'],
  }
  const cookie = `${SESSION.cookie}; _interaction=abc`
  const page = await site.request('/consent/uid_1', { headers: { cookie } })
  t.true(page.body.includes('claude.ai'))
  t.false(page.body.includes('javascript:'))
  t.notRegex(String(page.headers['content-security-policy']), /form-action/)
  t.is(page.headers['cross-origin-opener-policy'], 'unsafe-none')
  const asked = site.world.calls.find(({ method }) => method === 'getConsent')
  t.deepEqual(asked?.request, { interactionId: 'uid_1', cookie, more: undefined })
  const again = await site.request('/consent/uid_1?error=scope', { headers: { cookie } })
  t.regex(again.body, /Select at least one thing the app may do/)
})

test('the consent page describes each scope and does not link to the app’s website', async (t) => {
  signIn()
  site.world.consent = {
    uid: 'uid_1',
    clientName: 'Your Bank',
    clientUri: 'https://bank.example/help',
    redirectHost: 'evil.example',
    scopes: ['profile:read', 'care_circle:read', 'care_circle:write'],
  }
  const { body } = await site.request('/consent/uid_1', { headers: SESSION })
  const main = /<main.*<\/main>/s.exec(body)?.[0] ?? ''
  const words = main.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  for (const sentence of [
    /It can read your name, your email address and your family’s name\./,
    /It can read your loved ones’ mail, the care timeline, and the names and email addresses in your care circle\./,
    /It can invite people, create codes for care agencies, and send replies in your name\./,
    /Read only It can’t send or change anything\. Write, with approval What it writes waits/,
    /After you allow, you return to evil\.example/,
    /calls itself “ ?Your Bank ?” wants to act for you\. We have not checked this name\./,
    /It says its website is bank\.example \(not checked\)/,
  ])
    t.regex(words, sentence)
  t.notRegex(main, /<a [^>]*href="https?:/)
  t.regex(main, /<input type="radio"[^>]*name="access" value="approval" checked>/)
})

test('an app that requires a new sign-in gets one without a redirect loop', async (t) => {
  signIn()
  site.world.failures.set('getConsent', new StatusError('UNAUTHENTICATED', 'Sign in first.'))
  const sent = await site.request('/consent/uid_1', { headers: SESSION })
  t.is(sent.headers.location, '/sign-in?again=1&return_to=%2Fconsent%2Fuid_1')
  const question = await site.request(String(sent.headers.location), { headers: SESSION })
  t.is(question.status, 200)
  t.true(question.body.includes('value="/consent/uid_1"'))
})

test('names are shown as text and never executed', async (t) => {
  const evil = `"><img src=x onerror=alert(1)>'\`\${7*7}</title><script>alert(1)</script>\u202e`
  signIn()
  Object.assign(site.world, {
    person: { id: 'per_1', email: `${evil}@example.org`, name: evil },
    workspaces: [
      { id: evil, name: evil, role: Role.OWNER },
      { id: 'ws_martin', name: evil, role: Role.OWNER },
    ],
    lovedOnes: [
      { id: evil, name: evil, address: evil },
      { id: evil, name: evil },
    ],
    invitation: {
      token: 'tok_1',
      email: `${evil}@example.org`,
      workspaceName: evil,
      invitedByName: evil,
      role: Role.VIEWER,
    },
    consent: {
      uid: 'uid_1',
      clientName: evil,
      clientUri: `https://x.example/${evil}`,
      redirectHost: evil,
      scopes: [evil],
    },
  })
  const code = Buffer.from(JSON.stringify({ challenge: evil, email: evil, returnTo: evil })).toString('base64url')
  const answers = [
    await site.request('/', { headers: SESSION }),
    await site.request('/care-circle', { headers: SESSION }),
    await site.request('/timeline', { headers: SESSION }),
    await site.request('/settings', { headers: SESSION }),
    await site.request('/families', { headers: SESSION }),
    await site.request('/welcome', { headers: SESSION }),
    await site.request('/welcome', {
      headers: SESSION,
      form: {
        lovedOne: evil,
        yourName: '',
        familyName: evil,
        relationship: evil,
        return_to: evil,
        step: '1',
        key: evil,
      },
    }),
    await site.request('/invitation/tok_1', { headers: SESSION }),
    await site.request('/invitation/tok_1', { headers: SESSION, form: { name: '' } }),
    await site.request('/consent/uid_1', { headers: SESSION }),
    await site.request(`/sign-in?return_to=${encodeURIComponent(evil)}`),
    await site.request('/sign-in', { form: { email: evil.replace('@', ''), return_to: evil } }),
    await site.request('/sign-in/code', { headers: { cookie: `family_sign_in=${code}` } }),
    await site.request(`/${encodeURIComponent(evil)}`),
    await site.request(`/invitation/${encodeURIComponent(evil)}`),
    await site.request(`/consent/${encodeURIComponent(evil)}`, { headers: SESSION }),
  ]
  for (const [index, { body }] of answers.entries()) {
    t.notRegex(body, /<img|<script(?! src="\/assets\/)|onerror=alert\(1\)>|javascript:/, `answer ${index}`)
    t.is(body.match(/<title>/g)?.length, 1)
  }
})
