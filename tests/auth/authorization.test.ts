import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import type { Answer } from '../_family.ts'
import { type AuthStack, joinAuthStack } from './_auth.ts'
import {
  ALL_SCOPES,
  authenticate,
  authorizeUrl,
  Browser,
  type Client,
  callbackOf,
  connectApplication,
  decide,
  interactionIn,
  newPkce,
  redeem,
  registered,
  sendConsent,
  type Tokens,
  toAuth,
  WEB_CLIENT,
} from './_oauth.ts'
import { addWorkspace, type Member, signIn, signInMember } from './_people.ts'

const test = anyTest as TestFn<AuthStack>

test.before(async (t) => {
  t.context = await joinAuthStack()
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

const NATIVE_CLIENT = { ...WEB_CLIENT, redirect_uris: ['http://localhost:3334/oauth/callback'] }

/** A browser in which the person has allowed the application. */
async function connectedBrowser(s: AuthStack, person: Member, client: Client): Promise<Browser> {
  const browser = new Browser(s, person)
  const asked = await browser.get(authorizeUrl(client, newPkce()))
  await decide(s, browser, person, interactionIn(asked))
  return browser
}

/** True when the browser stays on our error page. */
function isOwnPage(t: ExecutionContext<AuthStack>, { status, headers, text }: Answer, error: string): void {
  t.is(status, 400)
  t.is(headers.location, undefined)
  t.regex(text, new RegExp(`<h1>This app couldn’t be connected</h1>.*${error}`, 's'))
  t.notRegex(text, /<a |<form|<script|http-equiv/i)
}

function allowIn(workspaceId: string): [string, string][] {
  const scopes = ALL_SCOPES.map((scope): [string, string] => ['scope', scope])
  return [...scopes, ['workspace', workspaceId], ['decision', 'allow']]
}

async function refused(work: Promise<unknown>): Promise<StatusError> {
  try {
    await work
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('it was not refused')
}

test.serial('a person connects an app: code, token, and a caller bound to person and workspace', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const browser = new Browser(s, person)
  const pkce = newPkce()
  const asked = await browser.get(authorizeUrl(client, pkce, { resource: `${s.stack.apiUrl}/mcp/v1` }))
  t.is(asked.status, 303)
  const interactionId = interactionIn(asked)
  const cookie = browser.cookieFor(`/consent/${interactionId}`)
  const consent = await s.as.site.getConsent({ interactionId, cookie })
  const shown = { clientName: 'Claude', clientUri: '', redirectHost: 'claude.ai' }
  t.deepEqual(consent, { ...shown, scopes: ALL_SCOPES, access: undefined })

  const back = await decide(s, browser, person, interactionId)
  t.is(back.status, 303)
  t.true(back.headers.location?.startsWith('https://claude.ai/api/mcp/auth_callback?'))
  t.is(callbackOf(back).get('state'), 'xyz')
  t.is(callbackOf(back).get('iss'), s.stack.inboxUrl)
  const { status, json, headers } = await redeem(s, client, callbackOf(back).get('code') ?? '', pkce)
  t.is(status, 200)
  t.is(headers['cache-control'], 'no-store')
  t.like(json, { token_type: 'Bearer', expires_in: 3600, scope: ALL_SCOPES.join(' ') })
  t.is(json.id_token, undefined)
  t.is(typeof json.refresh_token, 'string')

  const { personId } = await s.as.site.resolveSession({ session: person.session })
  const { admission, caller } = await authenticate(s, json.access_token)
  t.is(admission, 'ADMISSION_ADMITTED')
  t.like(caller, { personId, workspaceId: person.workspaceId, scopes: ALL_SCOPES, scopesEnforced: true })
  const { grants } = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await person.principal() })
  t.is(grants.length, 1)
  t.like(grants[0], { id: caller?.credentialId, clientName: 'Claude', scopes: ALL_SCOPES })
  t.true(grants[0]?.lastUsedAt instanceof Date)
})

test.serial('an unticked scope is not granted and can be ticked the next time', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const browser = new Browser(s, person)
  const round = async (scopes: string[], prompt?: string) => {
    const pkce = newPkce()
    const asked = await browser.get(authorizeUrl(client, pkce, { prompt }))
    const back = await decide(s, browser, person, interactionIn(asked), { scopes })
    return (await redeem(s, client, callbackOf(back).get('code') ?? '', pkce)).json
  }
  const first = await round(['profile:read', 'care_circle:read', 'audit:read', 'made:up'])
  t.is(first.scope, 'profile:read care_circle:read')
  t.deepEqual((await authenticate(s, first.access_token)).caller?.scopes, ['profile:read', 'care_circle:read'])
  const second = await round(ALL_SCOPES)
  t.is(second.scope, ALL_SCOPES.join(' '))
  t.deepEqual((await authenticate(s, first.access_token)).caller?.scopes, ['profile:read', 'care_circle:read'])
  const third = await round(['profile:read'], 'consent')
  t.is(third.scope, 'profile:read')
  t.deepEqual((await authenticate(s, second.access_token)).caller?.scopes, ['profile:read'])
  const grants = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await person.principal() })
  t.deepEqual(
    grants.grants.map(({ scopes }) => scopes),
    [['profile:read']],
  )
})

test.serial('consent is asked once for a web app, and every time for native apps and new scopes', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (const asksAgain of [false, true]) {
    const client = await registered(s, asksAgain ? NATIVE_CLIENT : WEB_CLIENT)
    const browser = new Browser(s, person)
    const ask = (more = {}) => browser.get(authorizeUrl(client, newPkce(), { scope: 'profile:read', ...more }))
    isOwnPage(t, await ask({ prompt: 'none' }), 'login_required')
    await decide(s, browser, person, interactionIn(await ask()), { scopes: ['profile:read'] })
    t.is(callbackOf(await ask()).has('code'), !asksAgain)
    t.is(callbackOf(await ask({ prompt: 'none' })).has('code'), !asksAgain)
    t.not(interactionIn(await ask({ scope: 'profile:read care_circle:read' })), '')
    t.not(interactionIn(await ask({ prompt: 'consent' })), '')
    const wider = callbackOf(await ask({ prompt: 'none', scope: 'care_circle:write' }))
    t.is(wider.get('error'), asksAgain ? 'interaction_required' : 'consent_required')
  }
})

test.serial('an app reconnects silently only while the same person is signed in', async (t) => {
  const s = t.context
  const [person, other] = [await signInMember(s), await signInMember(s)]
  const client = await registered(s)
  const browser = new Browser(s, person)
  const ask = (more = {}) => browser.get(authorizeUrl(client, newPkce(), more))
  await decide(s, browser, person, interactionIn(await ask()))
  t.true(callbackOf(await ask()).has('code'))
  browser.signIn(other)
  isOwnPage(t, await ask({ prompt: 'none' }), 'login_required')
  const code = callbackOf(await decide(s, browser, other, interactionIn(await ask()))).get('code')
  t.truthy(code)
  browser.signIn(person)
  const { principal } = await s.as.site.resolveSession({ session: person.session })
  await s.as.site.revokeSessions({ sessionId: '' }, { token: principal })
  isOwnPage(t, await ask({ prompt: 'none' }), 'login_required')
})

test.serial('if someone else signs in on the consent page, their workspace is used', async (t) => {
  const s = t.context
  const [person, other] = [await signInMember(s), await signInMember(s)]
  const client = await registered(s)
  const browser = new Browser(s, person)
  const pkce = newPkce()
  await decide(s, browser, person, interactionIn(await browser.get(authorizeUrl(client, newPkce()))))
  const asked = await browser.get(authorizeUrl(client, pkce, { prompt: 'consent' }))
  browser.signIn(other)
  const back = await decide(s, browser, other, interactionIn(asked))
  const { json } = await redeem(s, client, callbackOf(back).get('code') ?? '', pkce)
  const { caller } = await authenticate(s, json.access_token)
  t.is(caller?.workspaceId, other.workspaceId)
  const mine = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await person.principal() })
  t.is(mine.grants.length, 1)
})

test.serial('a client that requests a new sign-in gets one', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const browser = new Browser(s, person)
  await s.mongo
    .db()
    .collection('sessions')
    .updateOne({ email: person.email }, { $set: { createdAt: new Date(Date.now() - 5000) } })
  const interactionId = interactionIn(await browser.get(authorizeUrl(client, newPkce(), { prompt: 'login' })))
  const path = `/consent/${interactionId}`
  const look = () => s.as.site.getConsent({ interactionId, cookie: browser.cookieFor(path) })
  t.is((await refused(look())).status, 'UNAUTHENTICATED')
  t.is((await decide(s, browser, person, interactionId)).headers.location, path, 'the site asks for a sign-in there')
  browser.signIn({ ...person, session: '' })
  t.is((await refused(look())).status, 'UNAUTHENTICATED')
  const again = { ...(await signIn(s, person.email)), workspaceId: person.workspaceId }
  browser.signIn(again)
  t.is((await look()).clientName, 'Claude')
  t.true(callbackOf(await decide(s, browser, again, interactionId)).has('code'))
})

test.serial('declining returns access_denied to the client', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const browser = new Browser(s, person)
  const asked = await browser.get(authorizeUrl(client, newPkce()))
  const back = callbackOf(await decide(s, browser, person, interactionIn(asked), { allow: false }))
  t.is(back.get('error'), 'access_denied')
  t.is(back.get('iss'), s.stack.inboxUrl)
  t.is(back.get('state'), 'xyz')
  const { grants } = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await person.principal() })
  t.deepEqual(grants, [])
})

test.serial('a link to someone else’s authorization gets no consent', async (t) => {
  const s = t.context
  const [attacker, victim] = [new Browser(s), await signInMember(s)]
  const client = await registered(s)
  const asked = await attacker.get(authorizeUrl(client, newPkce()))
  const interactionId = interactionIn(asked)
  const victims = new Browser(s, victim)
  const own = interactionIn(await victims.get(authorizeUrl(client, newPkce())))
  const ownCookie = victims.cookieFor(`/consent/${own}`)
  const stolen = attacker.cookieFor(`/consent/${interactionId}`)
  const cookies = [
    '',
    victims.cookieFor('/'),
    ownCookie,
    `_interaction=${interactionId}`,
    `_interaction=${interactionId}; _interaction.sig=${'A'.repeat(27)}`,
    stolen.replace(/\.sig=./, '.sig=_'),
    ownCookie.replace(own, interactionId),
  ]
  for (const cookie of cookies) {
    const signedIn = `${cookie.replace(/family_session=[^;]*/, '')}; family_session=${victim.session}`
    t.is((await refused(s.as.site.getConsent({ interactionId, cookie: signedIn }))).status, 'NOT_FOUND', cookie)
    const decided = await sendConsent(s, `/consent/${interactionId}`, signedIn, allowIn(victim.workspaceId))
    t.is(decided.headers.location, '/consent/expired', cookie)
  }
  t.is((await victims.get(`/oauth/authorize/${interactionId}`)).status, 400)
  const gone = { interactionId: 'nothing', cookie: stolen }
  t.is((await refused(s.as.site.getConsent(gone))).status, 'NOT_FOUND')
})

test.serial('a decision works once, only in one’s own workspace, and with at least one scope', async (t) => {
  const s = t.context
  const [person, stranger] = [await signInMember(s), await signInMember(s)]
  const client = await registered(s)
  const browser = new Browser(s, person)
  const interactionId = interactionIn(await browser.get(authorizeUrl(client, newPkce())))
  for (const workspaceId of [stranger.workspaceId, '', 'ws_nothing'])
    t.is((await decide(s, browser, person, interactionId, { workspaceId })).status, 403)
  const nothing = await decide(s, browser, person, interactionId, { scopes: ['openid', 'audit:read'] })
  t.is(nothing.headers.location, `/consent/${interactionId}?error=scope`)
  const cookie = browser.cookieFor(`/consent/${interactionId}`)
  t.true(callbackOf(await decide(s, browser, person, interactionId)).has('code'))
  t.is((await refused(s.as.site.getConsent({ interactionId, cookie }))).status, 'NOT_FOUND')
  t.is((await decide(s, browser, person, interactionId)).headers.location, '/consent/expired')
})

test.serial('consent counts only from our own page, and only with the button that allows', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const begin = async () => {
    const browser = new Browser(s, person)
    const path = `/consent/${interactionIn(await browser.get(authorizeUrl(client, newPkce())))}`
    return { browser, path, cookie: browser.cookieFor(path) }
  }
  const form = allowIn(person.workspaceId)
  const { path, cookie } = await begin()
  const elsewhere: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://www.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ]
  for (const headers of elsewhere) {
    const answer = await sendConsent(s, path, cookie, form, headers)
    t.is(answer.status, 403, JSON.stringify(headers))
    t.is(answer.headers.location, undefined)
    t.regex(answer.text, /Nothing was connected or changed/)
  }
  const signedOut = cookie.replace(/family_session=[^;]*/, 'family_session=')
  t.is((await sendConsent(s, path, signedOut, form)).headers.location, path)
  t.is((await toAuth(s, path, { headers: { cookie } })).status, 404, 'auth shows no pages')
  t.true((await sendConsent(s, path, cookie, form)).headers.location?.includes('/oauth/authorize/'))
  for (const decision of ['', 'Allow', 'true']) {
    const { browser, path, cookie } = await begin()
    const answer = await sendConsent(s, path, cookie, [...form.slice(0, -1), ['decision', decision]])
    const back = await browser.get(answer.headers.location ?? '')
    t.is(callbackOf(back).get('error'), 'access_denied', decision)
  }
})

test.serial('connecting an app in a second workspace leaves the first unchanged', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const second = await addWorkspace(s, person)
  const client = await registered(s)
  const browser = new Browser(s, person)
  const tokens: Tokens[] = []
  for (const workspaceId of [person.workspaceId, second]) {
    const pkce = newPkce()
    const asked = await browser.get(authorizeUrl(client, pkce, { prompt: 'consent' }))
    const back = await decide(s, browser, person, interactionIn(asked), { workspaceId })
    tokens.push((await redeem(s, client, callbackOf(back).get('code') ?? '', pkce)).json)
  }
  const callers = await Promise.all(tokens.map(({ access_token }) => authenticate(s, access_token)))
  t.deepEqual(
    callers.map(({ caller }) => caller?.workspaceId),
    [person.workspaceId, second],
  )
})

test.serial('every client needs PKCE with S256, confidential ones too', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (const method of ['none', 'client_secret_basic']) {
    const client = await registered(s, { ...WEB_CLIENT, token_endpoint_auth_method: method })
    const browser = await connectedBrowser(s, person, client)
    const pkce = newPkce()
    for (const more of [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge_method: 'plain', code_challenge: pkce.verifier },
      { code_challenge: 'short' },
      { code_challenge: `${pkce.challenge.slice(1)}!` },
    ]) {
      const back = callbackOf(await browser.get(authorizeUrl(client, pkce, more)))
      t.is(back.get('error'), 'invalid_request', JSON.stringify(more))
      t.is(back.get('iss'), s.stack.inboxUrl)
      isOwnPage(t, await new Browser(s).get(authorizeUrl(client, pkce, more)), 'invalid_request')
    }
  }
})

test.serial('only the exact registered redirect address is used', async (t) => {
  const s = t.context
  const client = await registered(s)
  const registeredUri = WEB_CLIENT.redirect_uris[0] as string
  for (const redirect_uri of [
    `${registeredUri}/`,
    `${registeredUri}x`,
    registeredUri.slice(0, -1),
    registeredUri.toUpperCase(),
    `${registeredUri}?a=1`,
    `${registeredUri}#part`,
    registeredUri.replace('claude.ai', 'claude.ai:8443'),
    registeredUri.replace('claude.ai', 'user@claude.ai'),
    registeredUri.replace('claude.ai', 'claude.ai.evil.example'),
    registeredUri.replace('claude.ai/', 'claude.ai%2f'),
    registeredUri.replace('https', 'http'),
    registeredUri.replace('/api/', '/api/../api/'),
    'https://evil.example/',
    'javascript:alert(1)',
    '//evil.example',
  ]) {
    const answer = await new Browser(s).get(authorizeUrl(client, newPkce(), { redirect_uri }))
    t.is(answer.status, 400, redirect_uri)
    t.is(answer.headers.location, undefined)
    t.regex(String(answer.headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
    t.notRegex(String(answer.headers['content-security-policy']), /form-action/)
  }
})

test.serial('our links never redirect to an app the person has not allowed', async (t) => {
  const s = t.context
  const [person, other] = [await signInMember(s), await signInMember(s)]
  const client = await registered(s)
  const wrong: [Record<string, string>, string][] = [
    [{ prompt: 'none' }, 'login_required'],
    [{ prompt: 'none', response_mode: 'fragment' }, 'login_required'],
    [{ prompt: 'none', response_mode: 'form_post' }, 'login_required'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'openid\u00e4' }, 'invalid_request'],
  ]
  const connected = await connectedBrowser(s, other, client)
  const strangers = [new Browser(s), new Browser(s, person), new Browser(s, { ...person, session: 'made-up' })]
  for (const [more, error] of wrong) {
    for (const browser of strangers) {
      const answer = await browser.get(authorizeUrl(client, newPkce(), more))
      t.false(answer.text.includes('claude.ai'))
      if (more.scope === undefined) isOwnPage(t, answer, error)
      else t.false(String(answer.headers.location).startsWith('https:'))
    }
  }
  t.true(callbackOf(await connected.get(authorizeUrl(client, newPkce(), { prompt: 'none' }))).has('code'))
  const [grant] = (await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await other.principal() }))
    .grants
  await s.as.site.revokeGrant({ grantId: grant?.id ?? '' }, { token: await other.principal() })
  const afterwards = await connected.get(authorizeUrl(client, newPkce(), { prompt: 'none' }))
  t.is(afterwards.status, 400)
  t.is(afterwards.headers.location, undefined)
})

test.serial('the state comes back unchanged, to the right browser', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const states = ['a&code=stolen#x', 'a\r\nSet-Cookie: a=b', '<script>', 'ä ü 👩‍👧', '%00%0d%0a', 'x'.repeat(2000), '=']
  const back = await Promise.all(
    states.map(async (state) => {
      const browser = new Browser(s, person)
      const asked = await browser.get(authorizeUrl(client, newPkce(), { state }))
      return decide(s, browser, person, interactionIn(asked))
    }),
  )
  t.deepEqual(
    back.map((answer) => callbackOf(answer).get('state')),
    states,
  )
  t.is(new Set(back.map((answer) => callbackOf(answer).get('code'))).size, states.length)
  for (const { headers } of back) {
    t.true(headers.location?.startsWith(`${client.redirect_uris[0]}?`))
    t.notRegex(String(headers['set-cookie']), /a=b/)
  }
})

test.serial('invalid requests get a clear error, and their text never runs as HTML', async (t) => {
  const s = t.context
  const client = await registered(s)
  const unknown = { ...client, client_id: '<script>alert(1)</script>' }
  for (const url of [authorizeUrl(unknown, newPkce()), '/oauth/authorize', '/oauth/authorize/abc']) {
    const answer = await new Browser(s).get(url)
    t.is(answer.status, 400, url)
    t.regex(answer.headers['content-type'] ?? '', /^text\/html/)
    t.false(answer.text.includes('<script>'))
    const asJson = await toAuth(s, url, { headers: { accept: 'application/json' } })
    t.is(typeof asJson.json.error, 'string')
  }
  const refusals: [Record<string, string>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ resource: 'https://evil.example/mcp/v1' }, 'invalid_target'],
    [{ resource: 'not an address' }, 'invalid_target'],
    [{ resource: `${s.stack.apiUrl}/mcp/v1#part` }, 'invalid_target'],
    [{ prompt: 'none consent' }, 'invalid_request'],
    [{ request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
  ]
  const browser = await connectedBrowser(s, await signInMember(s), client)
  for (const [more, error] of refusals) {
    isOwnPage(t, await new Browser(s).get(authorizeUrl(client, newPkce(), more)), error)
    const answer = await browser.get(authorizeUrl(client, newPkce(), more))
    const found =
      callbackOf(answer).get('error') ??
      new URLSearchParams(new URL(answer.headers.location ?? 'a:').hash.slice(1)).get('error')
    t.is(found, error, JSON.stringify(more))
  }
})

test.serial('requests without our scopes or a resource get all scopes on the tool server', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (const scope of [undefined, '', 'openid email profile', 'audit:read']) {
    const { tokens } = await connectApplication(s, person, { scope })
    t.is(tokens.scope, ALL_SCOPES.join(' '))
    t.deepEqual((await authenticate(s, tokens.access_token)).caller?.scopes, ALL_SCOPES)
  }
  const rows = await s.mongo.db().collection('oauth_grants').find({ workspaceId: person.workspaceId }).toArray()
  t.true(rows.every(({ accessTokens }) => accessTokens[0].audience === `${s.stack.apiUrl}/mcp/v1`))
})

test.serial('app lists are paged and show one workspace', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (let round = 0; round < 3; round += 1) await connectApplication(s, person)
  const token = await person.principal()
  const first = await s.as.site.listGrants({ pageSize: 2, pageToken: '' }, { token })
  const rest = await s.as.site.listGrants({ pageSize: 2, pageToken: first.nextPageToken }, { token })
  t.deepEqual([first.grants.length, rest.grants.length, rest.nextPageToken], [2, 1, ''])
  const workspaceId = await addWorkspace(s, person)
  const { principal } = await s.as.site.selectWorkspace({ session: person.session, workspaceId })
  const elsewhere = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: principal })
  t.deepEqual(elsewhere.grants, [])
})
