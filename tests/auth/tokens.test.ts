import { readFileSync } from 'node:fs'
import type { Stack } from '@family-inbox/local-stack/run-stack'
import { CredentialKind } from '@family-inbox/proto/auth/v1/auth'
import anyTest, { type TestFn } from 'ava'
import { type AuthStack, startAuthStack } from './_auth.ts'
import {
  ALL_SCOPES,
  areAdmitted,
  authenticate,
  authenticateAtOnce,
  authorizeUrl,
  Browser,
  connectApplication,
  decide,
  getCode,
  interactionIn,
  newPkce,
  redeem,
  refresh,
  registered,
  requestToken,
  toAuth,
  WEB_CLIENT,
} from './_oauth.ts'
import { signInMember } from './_people.ts'

const test = anyTest as TestFn<AuthStack<Stack>>

test.before(async (t) => {
  t.context = await startAuthStack({ ownMongod: true, env: { TOOL_CALLS_PER_MINUTE: '60' } })
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

const CONFIDENTIAL_CLIENT = { ...WEB_CLIENT, token_endpoint_auth_method: 'client_secret_post' }

async function isAdmitted(s: AuthStack, token: string): Promise<boolean> {
  return (await authenticate(s, token)).admission === 'ADMISSION_ADMITTED'
}

/** Makes the use of a refresh token a minute old. */
async function passGrace(s: AuthStack, clientId: string): Promise<void> {
  const records = s.mongo.db().collection('oauth_records')
  await records.updateMany(
    { model: 'RefreshToken', consumedAt: { $exists: true }, payload: { $regex: clientId } },
    { $set: { consumedAt: new Date(Date.now() - 61_000) } },
  )
}

test.serial('a code redeemed 32 times concurrently gives one token, which is then revoked', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const pkce = newPkce()
  const code = await getCode(s, person, client, pkce)
  const answers = await Promise.all(Array.from({ length: 32 }, () => redeem(s, client, code, pkce)))
  const given = answers.filter(({ status }) => status === 200)
  t.is(given.length, 1)
  for (const { status, json } of answers.filter((answer) => !given.includes(answer))) {
    t.is(status, 400)
    t.is(json.error, 'invalid_grant')
  }
  t.false(await isAdmitted(s, given[0]?.json.access_token))
  t.is((await refresh(s, client, given[0]?.json.refresh_token)).json.error, 'invalid_grant')
})

test.serial('credentials that arrive together each get the answer they would get alone', async (t) => {
  const s = t.context
  const [ana, ben] = [await signInMember(s), await signInMember(s)]
  const mint = async (person: typeof ana) =>
    s.as.site.mintToolKey({ name: 'Agent', scopes: [] }, { token: await person.principal() })
  const [busy, revoked] = [await mint(ana), await mint(ana)]
  await s.as.site.revokeToolKey({ keyId: revoked.key?.id ?? '' }, { token: await ana.principal() })
  const { access_token } = (await connectApplication(s, ben)).tokens
  const [KEY, TOKEN, SESSION] = [CredentialKind.TOOL_KEY, CredentialKind.ACCESS_TOKEN, CredentialKind.SESSION]
  const others = [
    { kind: TOKEN, value: access_token },
    { kind: KEY, value: revoked.secret },
    { kind: SESSION, value: ben.session },
    { kind: KEY, value: access_token },
    { kind: TOKEN, value: busy.secret },
    { kind: SESSION, value: '' },
    { kind: CredentialKind.UNSPECIFIED, value: busy.secret },
  ]
  const calls = Array.from({ length: 70 }, () => ({ kind: KEY, value: busy.secret }))
  const { results } = await s.as.gateway.authenticate({
    credentials: [...calls.slice(0, 35), ...others, ...calls.slice(35)],
  })
  const seen = results.map(({ admission, caller }) => `${admission.replace('ADMISSION_', '')} ${caller?.workspaceId}`)
  const ofOthers = seen.splice(35, others.length)
  t.deepEqual(ofOthers, [
    `ADMITTED ${ben.workspaceId}`,
    `UNKNOWN_CREDENTIAL ${ana.workspaceId}`,
    `ADMITTED ${ben.workspaceId}`,
    ...Array.from({ length: 4 }, () => 'UNKNOWN_CREDENTIAL undefined'),
  ])
  t.deepEqual(seen, [
    ...Array.from({ length: 60 }, () => `ADMITTED ${ana.workspaceId}`),
    ...Array.from({ length: 10 }, () => `LIMITED ${ana.workspaceId}`),
  ])
  const limited = results.filter(({ admission }) => admission === 'ADMISSION_LIMITED')
  t.true(
    limited.every(
      ({ retryAfterSec, caller }) => retryAfterSec >= 58 && retryAfterSec <= 60 && caller?.principal === '',
    ),
  )
})

test.serial('reusing a code later revokes the token it gave', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const pkce = newPkce()
  const code = await getCode(s, person, client, pkce)
  const { json } = await redeem(s, client, code, pkce)
  t.true(await isAdmitted(s, json.access_token))
  t.is((await redeem(s, client, code, pkce)).json.error, 'invalid_grant')
  const dead = await authenticate(s, json.access_token)
  t.is(dead.admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
  t.is(dead.caller?.workspaceId, person.workspaceId)
  t.is(dead.caller?.principal, '')
})

test.serial('a code needs its verifier, redirect address, client and time', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const [client, other] = [await registered(s), await registered(s)]
  const pkce = newPkce()
  const code = await getCode(s, person, client, pkce)
  for (const more of [
    { code_verifier: undefined },
    { code_verifier: newPkce().verifier },
    { code_verifier: pkce.challenge },
    { code_verifier: pkce.verifier.slice(0, -1) },
    { code_verifier: `${pkce.verifier}x` },
    { redirect_uri: 'https://claude.ai/api/mcp/auth_callback/' },
    { redirect_uri: 'https://claude.com/api/mcp/auth_callback' },
    { code: code.slice(0, -1) },
    { code: `${code}x` },
    { code: code.toUpperCase() },
    { code: '' },
    { client_id: other.client_id },
  ]) {
    const { status, json } = await redeem(s, client, code, pkce, more)
    t.is(status, 400, JSON.stringify(more))
    t.regex(json.error, /^invalid_(grant|request)$/)
  }
  t.is((await redeem(s, client, code, pkce, { client_id: 'nobody' })).status, 401)
  t.is((await redeem(s, client, code, pkce)).status, 200)

  const late = await getCode(s, person, client, pkce)
  const records = s.mongo.db().collection<{ payload: string }>('oauth_records')
  const row = await records.findOne({
    model: 'AuthorizationCode',
    consumedAt: null,
    payload: { $regex: client.client_id },
  })
  const payload = { ...JSON.parse(row?.payload ?? ''), exp: Math.floor(Date.now() / 1000) - 1 }
  await records.updateOne({ _id: row?._id }, { $set: { payload: JSON.stringify(payload) } })
  t.is((await redeem(s, client, late, pkce)).json.error, 'invalid_grant')
})

test.serial('a refresh gives new tokens, and the old refresh token works for another minute', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person)
  const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(s, client, tokens.refresh_token)))
  for (const { status, json } of answers) {
    t.is(status, 200)
    t.is(json.scope, ALL_SCOPES.join(' '))
    t.true(await isAdmitted(s, json.access_token))
  }
  const all = [tokens, ...answers.map(({ json }) => json)]
  t.is(new Set(all.map(({ refresh_token }) => refresh_token)).size, 5)
  t.is(new Set(all.map(({ access_token }) => access_token)).size, 5)
  t.is((await refresh(s, client, answers[3]?.json.refresh_token)).status, 200)
})

test.serial('reusing a refresh token after that minute revokes the grant', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person)
  const second = (await refresh(s, client, tokens.refresh_token)).json
  const third = (await refresh(s, client, second.refresh_token)).json
  await passGrace(s, client.client_id)
  t.true(await isAdmitted(s, third.access_token))
  const { status, json } = await refresh(s, client, tokens.refresh_token)
  t.is(status, 400)
  t.is(json.error, 'invalid_grant')
  for (const { access_token } of [tokens, second, third]) t.false(await isAdmitted(s, access_token))
  t.is((await refresh(s, client, third.refresh_token)).json.error, 'invalid_grant')
  const { grants } = await s.as.site.listGrants({ pageSize: 0, pageToken: '' }, { token: await person.principal() })
  t.deepEqual(grants, [])
})

test.serial('a refresh token belongs to its client, its resource and its scopes', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person, { scope: 'profile:read' })
  const other = await registered(s)
  for (const [more, error] of [
    [{ client_id: other.client_id }, 'invalid_grant'],
    [{ refresh_token: tokens.refresh_token.slice(0, -1) }, 'invalid_grant'],
    [{ refresh_token: tokens.access_token }, 'invalid_grant'],
    [{ scope: 'profile:read care_circle:write' }, 'invalid_scope'],
    [{ resource: 'https://evil.example/mcp/v1' }, 'invalid_target'],
    [{ resource: `${s.stack.inboxUrl}/api/mcp` }, 'invalid_target'],
  ] as const) {
    const { status, json } = await refresh(s, client, tokens.refresh_token, more)
    t.is(status, 400, JSON.stringify(more))
    t.is(json.error, error)
  }
  const again = await refresh(s, client, tokens.refresh_token, { resource: `${s.stack.apiUrl}/mcp/v1/` })
  t.is(again.status, 200, 'a wrong resource must not have used the token up')
  t.is(again.json.scope, 'profile:read')
})

test.serial('a resource may be spelled in any usual way, and a token for one address works on both', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { apiUrl, inboxUrl } = s.stack
  for (const [atAuthorize, atToken] of [
    [`${apiUrl}/mcp/v1`, `${apiUrl}/mcp/v1/`],
    [`${apiUrl.toUpperCase()}/mcp/v1/`, `${apiUrl}/mcp/v1`],
    [`${inboxUrl}/api/mcp/`, undefined],
    [undefined, `${apiUrl}/mcp/v1`],
    [undefined, undefined],
  ]) {
    const client = await registered(s)
    const pkce = newPkce()
    const code = await getCode(s, person, client, pkce, { resource: atAuthorize })
    const { status, json } = await redeem(s, client, code, pkce, { resource: atToken })
    t.is(status, 200, JSON.stringify([atAuthorize, atToken, json]))
    t.true(await isAdmitted(s, json.access_token))
  }
  for (const resource of [`${inboxUrl}/api/mcp`, 'https://evil.example/mcp/v1', 'nonsense']) {
    const client = await registered(s)
    const pkce = newPkce()
    const code = await getCode(s, person, client, pkce, { resource: `${apiUrl}/mcp/v1` })
    t.is((await redeem(s, client, code, pkce, { resource })).json.error, 'invalid_target')
  }
})

test.serial('a token for another server is refused', async (t) => {
  const s = t.context
  const { tokens } = await connectApplication(s, await signInMember(s))
  const { caller } = await authenticate(s, tokens.access_token)
  const grants = s.mongo.db().collection<{ _id: string }>('oauth_grants')
  const audience = 'https://other.example/mcp/v1'
  await grants.updateOne({ _id: caller?.credentialId }, { $set: { 'accessTokens.0.audience': audience } })
  t.false(await isAdmitted(s, tokens.access_token))
})

test.serial('an expired or made-up token is refused', async (t) => {
  const s = t.context
  const { tokens } = await connectApplication(s, await signInMember(s))
  const { caller } = await authenticate(s, tokens.access_token)
  const grants = s.mongo.db().collection<{ _id: string; accessTokens: { expiresAt: Date }[] }>('oauth_grants')
  const row = await grants.findOne({ _id: caller?.credentialId })
  t.is(Math.round((Number(row?.accessTokens[0]?.expiresAt) - Date.now()) / 60_000), 60)
  for (const token of ['', 'x', tokens.access_token.slice(1), `${tokens.access_token}=`, tokens.refresh_token]) {
    const answer = await authenticate(s, token)
    t.is(answer.admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
    t.is(answer.caller, undefined)
  }
  const other = CredentialKind.SESSION
  t.is((await authenticate(s, tokens.access_token, other)).admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
  const past = new Date(Date.now() - 1)
  await grants.updateOne({ _id: caller?.credentialId }, { $set: { 'accessTokens.0.expiresAt': past } })
  const dead = await authenticate(s, tokens.access_token)
  t.is(dead.admission, 'ADMISSION_UNKNOWN_CREDENTIAL')
  t.is(dead.caller?.credentialId, caller?.credentialId)
})

test.serial('all tokens of a grant share 60 calls a minute', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person)
  const second = (await refresh(s, client, tokens.refresh_token)).json
  const burst = await authenticateAtOnce(
    Array.from({ length: 90 }, (_, call) => [s, call % 2 ? tokens.access_token : second.access_token] as const),
  )
  t.true(areAdmitted(burst, 60))
  const refused = burst.results.filter(({ admission }) => admission !== 'ADMISSION_ADMITTED')
  for (const { admission, retryAfterSec, caller } of refused) {
    t.is(admission, 'ADMISSION_LIMITED')
    t.true(retryAfterSec > 20 && retryAfterSec <= 60)
    t.is(caller?.principal, '')
  }
  t.true(await isAdmitted(s, (await connectApplication(s, person)).tokens.access_token))
})

test.serial('a disconnected app is refused at its next call and refresh', async (t) => {
  const s = t.context
  const [person, stranger] = [await signInMember(s), await signInMember(s)]
  const { client, tokens } = await connectApplication(s, person)
  const grantId = (await authenticate(s, tokens.access_token)).caller?.credentialId ?? ''
  const asStranger = { token: await stranger.principal() }
  const foreign = await t.throwsAsync(s.as.site.revokeGrant({ grantId }, asStranger))
  const missing = await t.throwsAsync(s.as.site.revokeGrant({ grantId: 'nothing' }, asStranger))
  t.is(foreign?.message, missing?.message)
  t.true(await isAdmitted(s, tokens.access_token))
  const token = await person.principal()
  await s.as.site.revokeGrant({ grantId }, { token })
  t.false(await isAdmitted(s, tokens.access_token))
  t.is((await refresh(s, client, tokens.refresh_token)).json.error, 'invalid_grant')
  await t.notThrowsAsync(s.as.site.revokeGrant({ grantId }, { token }))
  const browser = new Browser(s, person)
  const silently = await browser.get(authorizeUrl(client, newPkce(), { prompt: 'none' }))
  // Nobody is redirected to an app they have not allowed: we show our own page.
  t.is(silently.status, 400)
  t.is(silently.headers.location, undefined)
})

test.serial('no call that starts after a revocation is admitted', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (let round = 0; round < 3; round += 1) {
    const { tokens } = await connectApplication(s, person)
    const grantId = (await authenticate(s, tokens.access_token)).caller?.credentialId ?? ''
    const running = Array.from({ length: 20 }, () => authenticate(s, tokens.access_token))
    await s.as.site.revokeGrant({ grantId }, { token: await person.principal() })
    const after = await Promise.all(Array.from({ length: 20 }, () => isAdmitted(s, tokens.access_token)))
    t.false(after.includes(true))
    await Promise.all(running)
  }
})

test.serial('a client may revoke only its own tokens', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person)
  const other = await registered(s)
  const revoke = (clientId: string, token: string) =>
    toAuth(s, '/oauth/revoke', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: clientId, token }).toString(),
    })
  t.is((await revoke(other.client_id, tokens.access_token)).status, 200)
  t.is((await revoke(client.client_id, 'nonsense')).status, 200)
  t.true(await isAdmitted(s, tokens.access_token))
  t.is((await revoke(client.client_id, tokens.access_token)).status, 200)
  t.false(await isAdmitted(s, tokens.access_token))
  const second = await connectApplication(s, person)
  t.is((await revoke(second.client.client_id, second.tokens.refresh_token)).status, 200)
  t.false(await isAdmitted(s, second.tokens.access_token))
  t.is((await refresh(s, second.client, second.tokens.refresh_token)).json.error, 'invalid_grant')
})

test.serial('a confidential client needs its secret, by either method', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  for (const [method, credentials] of [
    ['client_secret_post', (secret: string) => ({ client_secret: secret })],
    ['client_secret_basic', () => ({ client_id: undefined })],
  ] as const) {
    const client = await registered(s, { ...CONFIDENTIAL_CLIENT, token_endpoint_auth_method: method })
    const secret = client.client_secret ?? ''
    const pkce = newPkce()
    const code = await getCode(s, person, client, pkce)
    const form = (value: string) => ({
      grant_type: 'authorization_code',
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      code,
      code_verifier: pkce.verifier,
      ...credentials(value),
    })
    const headers = (value: string): Record<string, string> =>
      method === 'client_secret_basic'
        ? { authorization: `Basic ${Buffer.from(`${client.client_id}:${value}`).toString('base64')}` }
        : {}
    for (const wrong of ['wrong', secret.slice(0, -1), `${secret}x`]) {
      const { status, json } = await requestToken(s, form(wrong), headers(wrong))
      t.is(status, 401, method)
      t.is(json.error, 'invalid_client')
    }
    t.is((await redeem(s, client, code, pkce)).status, 401)
    const { status, json } = await requestToken(s, form(secret), headers(secret))
    t.is(status, 200, JSON.stringify(json))
  }
})

test.serial('token errors are named in JSON, and an unknown client is rejected by name', async (t) => {
  const s = t.context
  const unknown = await requestToken(s, { grant_type: 'refresh_token', client_id: 'gone', refresh_token: 'x' })
  t.is(unknown.status, 401)
  t.is(unknown.json.error, 'invalid_client')
  t.is(unknown.headers['cache-control'], 'no-store')
  const client = await registered(s)
  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    toAuth(s, '/oauth/token', { method: 'POST', headers: { 'content-type': type }, body })
  const form = `client_id=${client.client_id}`
  for (const [answer, status, error] of [
    [await post(`${form}&grant_type=password&username=a&password=b`), 400, 'unsupported_grant_type'],
    [await post(`${form}&grant_type=client_credentials`), 400, 'unsupported_grant_type'],
    [await post(form), 400, 'invalid_request'],
    [await post(`${form}&grant_type=refresh_token&grant_type=refresh_token`), 400, 'invalid_request'],
    [await post(''), 400, 'invalid_request'],
    [await post('{"grant_type":"refresh_token"}', 'application/json'), 400, 'invalid_request'],
    [await post(`${form}&grant_type=refresh_token&refresh_token=${'x'.repeat(60_000)}`), 413, 'invalid_request'],
  ] as const) {
    t.is(answer.status, status, answer.text)
    t.is(answer.json.error, error)
  }
})

test.serial('signing out everywhere keeps apps connected, for up to a year', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person)
  const { caller } = await authenticate(s, tokens.access_token)
  await s.as.site.revokeSessions({ sessionId: '' }, { token: await person.principal() })
  t.true(await isAdmitted(s, tokens.access_token))
  t.is((await refresh(s, client, tokens.refresh_token)).status, 200)
  const grants = s.mongo.db().collection<{ _id: string; expiresAt: Date }>('oauth_grants')
  const row = await grants.findOne({ _id: caller?.credentialId })
  t.is(Math.round((Number(row?.expiresAt) - Date.now()) / 86_400_000), 365)
  const kept = s.mongo.db().collection<{ expiresAt: Date }>('oauth_records')
  const record = await kept.findOne({ model: 'Client', payload: { $regex: client.client_id } })
  t.is(Math.round((Number(record?.expiresAt) - Date.now()) / 86_400_000), 395)
})

test.serial('an id token names its client and the person’s sign-in', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s)
  const pkce = newPkce()
  const code = await getCode(s, person, client, pkce, { scope: 'openid profile:read', nonce: 'n-1' })
  const { json } = await redeem(s, client, code, pkce)
  const claims = JSON.parse(Buffer.from(json.id_token.split('.')[1], 'base64url').toString())
  t.like(claims, { iss: s.stack.inboxUrl, aud: client.client_id, nonce: 'n-1' })
  t.true(await isAdmitted(s, json.access_token))
})

test.serial('no token, code or client secret is in the database or the log', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const client = await registered(s, CONFIDENTIAL_CLIENT)
  const pkce = newPkce()
  const code = await getCode(s, person, client, pkce)
  const { json } = await redeem(s, client, code, pkce, { client_secret: client.client_secret })
  const collections = await s.mongo.db().collections()
  const stored = JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())))
  const log = readFileSync(s.stack.logs('auth'), 'utf8')
  for (const secret of [code, json.access_token, json.refresh_token, client.client_secret, person.session]) {
    t.true(String(secret).length >= 43)
    t.false(stored.includes(String(secret)))
    t.false(log.includes(String(secret)))
  }
  t.true(stored.includes(client.client_id))
})

test.serial('the database reveals no usable session cookie', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const browser = new Browser(s, person)
  const client = await registered(s)
  const ask = async () => interactionIn(await browser.get(authorizeUrl(client, newPkce(), { prompt: 'consent' })))
  await decide(s, browser, person, await ask())
  await ask()
  const session = /(?:^|; )_session=([^;]+)/.exec(browser.cookieFor('/oauth/authorize'))?.[1] ?? ''
  t.true(session.length >= 20)
  const collections = await s.mongo.db().collections()
  const stored = JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())))
  t.false(stored.includes(session))
})

test.serial('during a database outage clients get a 503, and recover', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { client, tokens } = await connectApplication(s, person)
  await s.stack.pause('mongod')
  const answer = await refresh(s, client, tokens.refresh_token).finally(() => s.stack.resume('mongod'))
  t.is(answer.status, 503)
  t.is(answer.json.error, 'temporarily_unavailable')
  t.is((await refresh(s, client, tokens.refresh_token)).status, 200)
})

test.serial('tool key scopes are not enforced by default', async (t) => {
  const s = t.context
  const person = await signInMember(s)
  const { secret } = await s.as.site.mintToolKey(
    { name: 'key', scopes: ['profile:read'] },
    { token: await person.principal() },
  )
  const { caller } = await authenticate(s, secret, CredentialKind.TOOL_KEY)
  t.like(caller, { scopes: ['profile:read'], scopesEnforced: false })
})
