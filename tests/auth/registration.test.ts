import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { freePort } from '@family-inbox/local-stack/free-port'
import anyTest, { type TestFn } from 'ava'
import { send } from '../_family.ts'
import { type AuthStack, startAuthStack } from './_auth.ts'
import { publish, REDIRECT_URI, startMaker } from './_maker.ts'
import { authorizeUrl, Browser, newPkce, register, registered, toAuth, WEB_CLIENT } from './_oauth.ts'

const test = anyTest as TestFn<AuthStack>

test.before(async (t) => {
  await using maker = await startMaker()
  t.context = await startAuthStack({
    env: {
      API_URL: 'https://api.family.example',
      INBOX_URL: 'https://inbox.family.example',
      SMTP_URL: 'smtp://127.0.0.1:9', // required at public addresses; nothing is sent here
    },
    serviceEnv: { ...maker.serviceEnv, REGISTRATIONS_PER_HOUR: '30' },
  })
})
test.after.always((t) => t.context[Symbol.asyncDispose]?.())

/** What real clients post to the registration endpoint (INTEROP A12, O3, and RFC 7591 as they read it). */
const REAL_CLIENTS: Record<string, { body: object; native: boolean }> = {
  Claude: {
    body: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'profile:read care_circle:read care_circle:write',
    },
    native: false,
  },
  'Claude, confidential': {
    body: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
    native: false,
  },
  'Claude Code': {
    body: {
      client_name: 'Claude Code (family-inbox)',
      redirect_uris: ['http://localhost:54212/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'profile:read care_circle:read care_circle:write offline_access',
    },
    native: true,
  },
  ChatGPT: {
    body: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      client_uri: 'https://chatgpt.com',
      logo_uri: null,
      tos_uri: '',
      contacts: null,
    },
    native: false,
  },
  Cursor: {
    body: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    native: true,
  },
  'VS Code': {
    body: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      scope: 'profile:read care_circle:read care_circle:write',
    },
    native: true,
  },
  'mcp-remote': {
    body: {
      redirect_uris: ['http://localhost:3334/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.1.37',
      scope: 'openid email profile',
    },
    native: true,
  },
  'MCP Inspector': {
    body: {
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      application_type: 'web',
      scope: 'profile:read care_circle:read care_circle:write offline_access',
    },
    native: true,
  },
}

for (const [name, { body, native }] of Object.entries(REAL_CLIENTS))
  test(`${name} registers as usual and may then request any scope`, async (t) => {
    const s = t.context
    const { status, json, headers } = await register(s, body)
    t.is(status, 201, JSON.stringify(json))
    t.is(headers['access-control-allow-origin'], '*')
    t.is(headers['cache-control'], 'no-store')
    const { redirect_uris, token_endpoint_auth_method } = body as typeof WEB_CLIENT
    t.deepEqual(json.redirect_uris, redirect_uris)
    t.is(json.token_endpoint_auth_method, token_endpoint_auth_method)
    t.deepEqual(json.grant_types, ['authorization_code', 'refresh_token'])
    t.is(json.application_type, native ? 'native' : 'web')
    t.is(json.scope, undefined)
    t.is(typeof json.client_secret, token_endpoint_auth_method === 'none' ? 'undefined' : 'string')
    t.false(Object.values(json).includes(null))
    for (const redirect_uri of redirect_uris) {
      const asked = authorizeUrl(json, newPkce(), { redirect_uri, scope: 'care_circle:write offline_access openid' })
      t.regex((await new Browser(s).get(asked)).headers.location ?? '', /^\/consent\//, redirect_uri)
    }
  })

test('a native app may listen on any port, but not with another host or path', async (t) => {
  const s = t.context
  const client = await registered(s, { ...WEB_CLIENT, redirect_uris: ['http://localhost:3334/oauth/callback'] })
  const ask = async (redirect_uri: string) =>
    (await new Browser(s).get(authorizeUrl(client, newPkce(), { redirect_uri }))).status
  t.is(await ask('http://localhost:5555/oauth/callback'), 303)
  for (const other of [
    'http://127.0.0.1:3334/oauth/callback',
    'http://localhost:3334/oauth/callback/',
    'http://localhost:3334/oauth',
    'https://localhost:3334/oauth/callback',
    'http://localhost.evil.example:3334/oauth/callback',
    'http://localhost:3334@evil.example/oauth/callback',
  ])
    t.is(await ask(other), 400, other)
})

test('an app with an address of its own signs in, although another of its addresses is not safe', async (t) => {
  const s = t.context
  const own = 'warp://mcp/oauth2callback'
  const { status, json } = await register(s, { ...WEB_CLIENT, redirect_uris: ['ms-msdt://callback', own] })
  t.is(status, 201)
  t.deepEqual(json.redirect_uris, [own])
  const asked = authorizeUrl(json, newPkce(), { redirect_uri: own })
  t.regex((await new Browser(s).get(asked)).headers.location ?? '', /^\/consent\//)
})

test('unsafe redirect addresses are refused with the reason', async (t) => {
  const s = t.context
  for (const uri of [
    'http://example.com/callback',
    'https://example.com/callback#part',
    'https://user:pass@example.com/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'ms-msdt:/id PCWDiagnostic',
    'ms-msdt://callback',
    'search-ms://callback',
    'mailto:somebody@example.com',
    'x-apple.systempreferences:com.apple.preference',
    'web+mail://callback',
    'not an address',
    '',
    `https://example.com/${'x'.repeat(2000)}`,
  ]) {
    const { status, json } = await register(s, { ...WEB_CLIENT, redirect_uris: [uri] })
    t.is(status, 400, uri)
    t.is(json.error, 'invalid_redirect_uri', uri)
    t.is(typeof json.error_description, 'string')
  }
  for (const redirect_uris of [[], undefined, 'https://example.com/', [{}], Array(21).fill('https://example.com/')])
    t.is((await register(s, { ...WEB_CLIENT, redirect_uris })).status, 400)
})

test('an invalid registration is a clear client error', async (t) => {
  const s = t.context
  const post = (body: string, type = 'application/json') =>
    toAuth(s, '/oauth/register', { method: 'POST', headers: { 'content-type': type }, body })
  for (const answer of [
    await post('{"redirect_uris":'),
    await post('[]'),
    await post('null'),
    await post('redirect_uris=x', 'application/x-www-form-urlencoded'),
    await post(JSON.stringify({ ...WEB_CLIENT, client_name: 'x'.repeat(60_000) })),
    await post(JSON.stringify({ ...WEB_CLIENT, response_types: ['token'] })),
    await post(JSON.stringify({ ...WEB_CLIENT, grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] })),
    await post(JSON.stringify({ ...WEB_CLIENT, grant_types: ['implicit', 'password'] })),
    await post(JSON.stringify({ ...WEB_CLIENT, token_endpoint_auth_method: 'private_key_jwt' })),
  ]) {
    t.is(answer.status, 400, answer.text)
    t.is(typeof answer.json.error, 'string')
  }
  t.is((await toAuth(s, '/oauth/register')).status, 404)
})

test('a field of any wrong type is a clear client error', async (t) => {
  const s = t.context
  const odd: unknown[] = [
    {},
    { toString: 1, valueOf: 1 },
    { length: 1 },
    [],
    [{}],
    [[]],
    [null],
    0,
    -1,
    1e308,
    true,
    false,
  ]
  const wrong = [{ a: 1 }, ['x'], 7, true]
  for (const client_name of wrong) {
    const { status, json } = await register(s, { ...WEB_CLIENT, client_name })
    t.is(status, 400)
    t.like(json, { error: 'invalid_client_metadata', error_description: 'client_name must be a string' })
  }
  for (const field of REGISTRATION_FIELDS) {
    const answers = await Promise.all(odd.map((value) => register(s, { ...WEB_CLIENT, [field]: value })))
    for (const [index, { status, text }] of answers.entries())
      t.true(status === 201 || status === 400, `${field} ${JSON.stringify(odd[index])}: ${text}`)
  }
})

/** RFC 7591, OpenID Connect Registration 1.0, and the libraries around them. */
const REGISTRATION_FIELDS = [
  ...[
    'application_type',
    'client_id',
    'client_id_issued_at',
    'client_name',
    'client_secret',
    'client_secret_expires_at',
  ],
  ...['client_uri', 'contacts', 'default_acr_values', 'default_max_age', 'grant_types', 'id_token_signed_response_alg'],
  ...['initiate_login_uri', 'jwks', 'jwks_uri', 'logo_uri', 'policy_uri', 'post_logout_redirect_uris', 'redirect_uris'],
  ...['require_auth_time', 'response_modes', 'response_types', 'scope', 'sector_identifier_uri', 'software_id'],
  ...['software_statement', 'software_version', 'subject_type', 'token_endpoint_auth_method', 'tos_uri', 'constructor'],
]

test('client names are cleaned for display', async (t) => {
  const { json } = await register(t.context, {
    ...WEB_CLIENT,
    client_name: `\u202eClaude\u0000\r\n <b>${'é'.repeat(200)}`,
    client_uri: 'javascript:alert(1)',
  })
  t.regex(json.client_name, /^Claude <b>é+$/u)
  t.is(json.client_name.length, 79)
  t.is(json.client_uri, undefined)
})

test('registrations are limited per network, even with forged headers', async (t) => {
  const s = t.context
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      send(`${s.httpUrl}/oauth/register`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': `10.0.0.${number}, 192.0.2.1`,
          forwarded: `for=10.0.0.${number}`,
        },
        body: JSON.stringify(WEB_CLIENT),
      }),
    ),
  )
  t.is(answers.filter(({ status }) => status === 201).length, 30)
  const refusals = answers.filter(({ status }) => status === 429)
  t.is(refusals.length, 10)
  for (const { headers, json } of refusals) {
    t.true(Number(headers['retry-after']) > 3500 && Number(headers['retry-after']) <= 3600)
    t.is(json.error, 'temporarily_unavailable')
  }
  t.is((await register(s, WEB_CLIENT)).status, 201)
})

test('a client nobody connects is deleted after 30 days', async (t) => {
  const s = t.context
  const { client_id } = await registered(s)
  const records = s.mongo.db().collection('oauth_records')
  const record = await records.findOne({ model: 'Client', payload: { $regex: client_id } })
  t.is(Math.round((Number(record?.expiresAt) - Date.now()) / 86_400_000), 30)
  const indexes = await records.indexes()
  t.true(indexes.some(({ key, expireAfterSeconds }) => 'expiresAt' in key && expireAfterSeconds === 0))
})

test('metadata ignores forged Host and X-Forwarded headers', async (t) => {
  const s = t.context
  const { inboxUrl } = s.stack
  const forged: Record<string, string>[] = [
    {},
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' },
    { forwarded: 'host=evil.example;proto=https', 'x-forwarded-prefix': '/evil' },
    { host: 'evil.example', 'x-forwarded-host': 'evil.example, evil2.example', 'x-original-host': 'evil.example' },
  ]
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
    for (const headers of forged) {
      const { status, json, text } = await send(`${s.httpUrl}${path}`, { headers })
      t.is(status, 200)
      t.false(text.includes('evil'))
      t.like(json, {
        issuer: inboxUrl,
        authorization_endpoint: `${inboxUrl}/oauth/authorize`,
        token_endpoint: `${inboxUrl}/oauth/token`,
        registration_endpoint: `${inboxUrl}/oauth/register`,
        revocation_endpoint: `${inboxUrl}/oauth/revoke`,
        jwks_uri: `${inboxUrl}/oauth/jwks`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        scopes_supported: ['openid', 'offline_access', 'profile:read', 'care_circle:read', 'care_circle:write'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
      t.false(Object.values(json).includes(null))
    }
  const { keys } = (await toAuth(s, '/oauth/jwks')).json
  t.is(keys.length, 1)
  t.false('d' in keys[0])
})

test('authorization cookies are HttpOnly, SameSite and Secure', async (t) => {
  const s = t.context
  const { headers } = await toAuth(s, authorizeUrl(await registered(s), newPkce()))
  const cookies = headers['set-cookie'] ?? []
  t.true(cookies.length >= 4)
  for (const cookie of cookies) t.regex(cookie, /; path=\/(consent|oauth)\/.*; samesite=lax; secure; httponly/i)
})

test('redirects ignore a forged host', async (t) => {
  const s = t.context
  const client = await registered(s)
  const answer = await send(`${s.httpUrl}${authorizeUrl(client, newPkce())}`, {
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
  })
  t.regex(answer.headers.location ?? '', /^\/consent\//)
  const rows = await s.mongo.db().collection('oauth_records').find({ model: 'Interaction' }).toArray()
  t.true(rows.length > 0)
  t.false(JSON.stringify(rows).includes('evil.example'))
})

test('a browser client of any origin may read metadata, register and request tokens', async (t) => {
  const s = t.context
  const origin = 'https://playground.example'
  for (const [path, method] of [
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/openid-configuration', 'GET'],
    ['/oauth/jwks', 'GET'],
    ['/oauth/register', 'POST'],
    ['/oauth/token', 'POST'],
    ['/oauth/revoke', 'POST'],
  ] as const) {
    const preflight = await toAuth(s, path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    })
    t.is(preflight.status, 204, path)
    t.is(preflight.headers['access-control-allow-origin'], '*')
    t.regex(preflight.headers['access-control-allow-headers'] ?? '', /content-type.*mcp-protocol-version/i)
    t.true(preflight.headers['access-control-allow-methods']?.includes(method))
    const answer = await toAuth(s, path, { method, headers: { origin } })
    t.is(answer.headers['access-control-allow-origin'], '*')
    t.is(answer.headers['access-control-allow-credentials'], undefined)
  }
  const authorize = await toAuth(s, '/oauth/authorize', { headers: { origin } })
  t.is(authorize.headers['access-control-allow-origin'], undefined)
})

test('no packet reaches a private address, and open ports look like closed ones', async (t) => {
  const s = t.context
  let connections = 0
  const listener = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => listener.listen(0, resolve))
  const { port: open } = listener.address() as AddressInfo
  const closed = await freePort()
  const ask = async (address: string) => {
    const url = authorizeUrl({ client_id: `https://${address}/client.json`, redirect_uris: [REDIRECT_URI] }, newPkce())
    const startedAt = performance.now()
    for (let again = 0; ; again += 1) {
      const { status, text } = await new Browser(s).get(url)
      // A busy machine may answer 503. The second answer may come at once: its document failed a moment ago.
      if (status !== 503 || again === 10) return { ms: performance.now() - startedAt, status, text, address }
    }
  }
  const answers = await Promise.all(
    [
      `127.0.0.1:${open}`,
      `127.0.0.1:${closed}`,
      `localhost:${open}`,
      `[::1]:${open}`,
      `[::ffff:127.0.0.1]:${open}`,
      `0.0.0.0:${open}`,
    ].map(ask),
  )
  listener.close()
  t.is(connections, 0)
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]))
  t.is(new Set(answers.map(({ text }) => text)).size, 1)
  for (const { ms, address } of answers) t.true(ms >= 990, `${address}: ${ms}`)
})

test('the server cannot be made to call private addresses', async (t) => {
  const s = t.context
  await using maker = await startMaker()
  const port = new URL(maker.url('/')).port
  const addresses = [
    publish(maker, '/inside.json'),
    `https://127.0.0.1:${port}/inside.json`,
    `https://[::1]:${port}/inside.json`,
    `https://[::ffff:127.0.0.1]:${port}/inside.json`,
    `https://2130706433:${port}/inside.json`,
    `https://0:${port}/inside.json`,
  ]
  for (const client_id of addresses) {
    const ask = () => new Browser(s).get(authorizeUrl({ client_id, redirect_uris: [REDIRECT_URI] }, newPkce()))
    let { status } = await ask()
    // A busy machine may answer 503.
    for (let again = 0; status === 503 && again < 10; again += 1) status = (await ask()).status
    t.is(status, 400, client_id)
  }
  t.deepEqual(maker.asked, [])
})

test('other paths on this port are 404', async (t) => {
  const s = t.context
  for (const path of [
    '/',
    '/oauth',
    '/oauth/',
    '/oauth/me',
    '/oauth/userinfo',
    '/oauth/introspect',
    '/oauth/par',
    '/oauth/device/auth',
    '/oauth/session/end',
    '/OAUTH/TOKEN',
    '/session/end',
    '/interaction/any',
    '/token',
    '/me',
  ])
    for (const method of ['GET', 'POST']) {
      const { status, headers } = await toAuth(s, path, { method })
      t.is(status, 404, path)
      t.regex(headers['content-type'] ?? '', /^application\/json/)
    }
})
