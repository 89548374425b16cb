import { connect } from '@family-inbox/ops/services'
import anyTest, { type TestFn } from 'ava'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily, send } from '../_family.ts'

const test = anyTest as TestFn<{ f: Guest; key: string }>

test.before(async (t) => {
  const f = await joinFamily()
  t.context = { f, key: f.family.keys.viewer }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const ping = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'ping', arguments: {} } }

test('without a credential the answer is 401 and points to that host’s metadata', async (t) => {
  const { stack } = t.context.f
  const hosts = [
    [`${stack.apiUrl}/mcp/v1`, `${stack.apiUrl}/.well-known/oauth-protected-resource/mcp/v1`],
    [`${stack.inboxUrl}/api/mcp`, `${stack.inboxUrl}/.well-known/oauth-protected-resource/api/mcp`],
  ] as const
  for (const [url, metadata] of hosts) {
    const headers = { 'content-type': 'application/json' }
    const answer = await send(url, { method: 'POST', headers, body: JSON.stringify(ping) })
    t.is(answer.status, 401)
    t.is(
      answer.headers['www-authenticate'],
      `Bearer resource_metadata="${metadata}", scope="profile:read care_circle:read care_circle:write"`,
    )
    t.is(answer.json.error.code, -32001)
    t.is(answer.json.id, 9)
    const document = (await send(metadata)).json
    t.is(document.resource, url)
    t.deepEqual(document.authorization_servers, [stack.inboxUrl])
    t.deepEqual(document.scopes_supported, ['profile:read', 'care_circle:read', 'care_circle:write'])
    t.false(Object.values(document).includes(null), 'absent fields are omitted')
  }
})

test('the metadata is also at the root of each host, open to every origin', async (t) => {
  const { stack } = t.context.f
  for (const [host, path] of [
    [stack.apiUrl, '/mcp/v1'],
    [stack.inboxUrl, '/api/mcp'],
  ]) {
    const answer = await send(`${host}/.well-known/oauth-protected-resource`)
    t.is(answer.json.resource, `${host}${path}`)
    t.is(answer.headers['access-control-allow-origin'], '*')
  }
})

test('an invalid credential is 401 with error="invalid_token"', async (t) => {
  const { f, key } = t.context
  const wrong = [
    key.slice(0, -1),
    `${key}x`,
    `sk-sand-${'0'.repeat(43)}`,
    'sk-sand-',
    key.toUpperCase(),
    'nonsense',
    'eyJhbGciOiJub25lIn0.e30.',
  ]
  for (const credential of wrong) {
    const answer = await f.post(credential, ping)
    t.is(answer.status, 401, credential)
    t.regex(String(answer.headers['www-authenticate']), /^Bearer resource_metadata=".*", error="invalid_token"/)
    t.is(answer.json.error.code, -32001)
  }
})

test('other schemes and keys in the query are ignored', async (t) => {
  const { f, key } = t.context
  const headers = { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` }
  t.is((await f.post(undefined, ping, headers)).status, 401)
  const query = await send(`${f.stack.apiUrl}/mcp/v1?access_token=${key}&key=${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ping),
  })
  t.is(query.status, 401)
})

test('spaces around a key are not part of it; spaces inside are', async (t) => {
  const { f, key } = t.context
  t.is((await f.post(undefined, ping, { authorization: `Bearer  ${key}   ` })).status, 200)
  t.is((await f.post(undefined, ping, { authorization: `Bearer ${key} ${key}` })).status, 401)
})

test('two Authorization headers are refused', async (t) => {
  const { f, key } = t.context
  const answer = await send(`${f.stack.apiUrl}/mcp/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: [`Bearer ${key}`, 'Bearer nonsense'] },
    body: JSON.stringify(ping),
  })
  t.is(answer.status, 400)
  t.is(answer.json.error.code, -32600)
})

test('the credential is checked before the message', async (t) => {
  t.is((await t.context.f.post('nonsense', '{')).status, 401)
})

test('the alias accepts keys too', async (t) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${t.context.key}` }
  const url = `${t.context.f.stack.inboxUrl}/api/mcp`
  t.is((await send(url, { method: 'POST', headers, body: JSON.stringify(ping) })).status, 200)
})

test('a revoked key fails at the next call, even while calls are running', async (t) => {
  const { f } = t.context
  using services = await connect(f.stack.target)
  const { principal } = await services.auth.createPerson({ email: `rev${Date.now()}@x.example`, name: 'Rev' })
  const workspace = { name: 'Rev', ownerName: 'Rev', relationship: '' }
  const { workspaceId } = await services.careCircle.createWorkspace(workspace, { token: principal })
  const { principal: token } = await services.auth.switchWorkspace({ workspaceId }, { token: principal })
  for (let trial = 0; trial < 20; trial += 1) {
    const { key, secret } = await services.auth.mintToolKey({ name: 'k', scopes: [] }, { token })
    t.is((await f.post(secret, ping)).status, 200)
    const running = Array.from({ length: 5 }, () => f.post(secret, ping))
    await services.auth.revokeToolKey({ keyId: key?.id ?? '' }, { token })
    const after = await Promise.all(Array.from({ length: 5 }, () => f.post(secret, ping)))
    t.deepEqual(
      after.map(({ status }) => status),
      [401, 401, 401, 401, 401],
    )
    await Promise.all(running)
  }
})

test('nobody can see or revoke another person’s keys', async (t) => {
  const { f } = t.context
  using services = await connect(f.stack.target)
  const { principal } = await services.auth.createPerson({ email: `oth${Date.now()}@x.example`, name: 'Oth' })
  const workspace = { name: 'Oth', ownerName: 'Oth', relationship: '' }
  const { workspaceId } = await services.careCircle.createWorkspace(workspace, { token: principal })
  const { principal: token } = await services.auth.switchWorkspace({ workspaceId }, { token: principal })
  t.deepEqual((await services.auth.listToolKeys({ pageSize: 0, pageToken: '' }, { token })).keys, [])
  await using mongo = await openDatabase(f.stack, 'auth')
  const [key] = await mongo.db().collection('tool_keys').find().limit(1).toArray()
  await t.throwsAsync(services.auth.revokeToolKey({ keyId: String(key?._id) }, { token }), { message: /no tool key/ })
  await t.throwsAsync(services.auth.switchWorkspace({ workspaceId: f.family.workspaceId }, { token }), {
    message: /not a member/,
  })
})

test('no service answers without a token that auth signed', async (t) => {
  using services = await connect(t.context.f.stack.target)
  const forged = 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'
  await t.throwsAsync(services.careCircle.listMembers({}, { token: forged }), { message: /could not be identified/ })
  await t.throwsAsync(services.inbox.listInboxAddresses({}, { token: forged }), { message: /could not be identified/ })
  await t.throwsAsync(services.careCircle.listMembers({}), { message: /on behalf of a person/ })
})
