import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily, send } from '../_family.ts'

const test = anyTest as TestFn<{ f: Guest; mcp: string; alias: string; key: string }>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  t.context = { f, mcp: `${f.stack.apiUrl}/mcp/v1`, alias: `${f.stack.inboxUrl}/api/mcp`, key: f.family.keys.owner }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('anyone can read the server description and its tools, without input schemas', async (t) => {
  for (const accept of ['*/*', 'application/json', undefined]) {
    const answer = await send(t.context.mcp, { headers: accept === undefined ? {} : { accept } })
    t.is(answer.status, 200)
    t.is(answer.headers['content-type'], 'application/json; charset=utf-8')
    t.regex(String(answer.headers.vary), /Accept/)
    t.is(answer.json.name, 'app.service/family-inbox')
    t.is(answer.json.version, '0.3.0')
    t.is(answer.json.tools.length, 10)
    for (const tool of answer.json.tools)
      t.deepEqual(Object.keys(tool).sort(), ['description', 'kind', 'name', 'scope'])
  }
})

test('the catalogue is the same at /.well-known/mcp.json, whatever Accept says', async (t) => {
  const catalogue = await send(t.context.mcp)
  const headers = { accept: 'text/event-stream' }
  const wellKnown = await send(`${t.context.f.stack.apiUrl}/.well-known/mcp.json`, { headers })
  t.is(wellKnown.status, 200)
  t.is(wellKnown.text, catalogue.text)
})

for (const accept of [
  'text/event-stream',
  'application/json, text/event-stream',
  'text/event-stream, application/json;q=0.5',
])
  test(`a request for a stream (${accept}) gets 405, with or without a credential`, async (t) => {
    for (const url of [t.context.mcp, t.context.alias, `${t.context.mcp}/`]) {
      const answers = [
        await send(url, { headers: { accept } }),
        await send(url, { headers: { accept, authorization: 'Bearer nonsense' } }),
      ]
      for (const answer of answers) {
        t.is(answer.status, 405)
        t.is(answer.headers.allow, 'POST')
        t.is(answer.headers['www-authenticate'], undefined)
      }
    }
  })

test('there are no sessions: DELETE is 405 and no session id is ever issued', async (t) => {
  t.is((await send(t.context.mcp, { method: 'DELETE' })).status, 405)
  const { f, key } = t.context
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }
  t.is((await f.post(key, initialize)).headers['mcp-session-id'], undefined)
})

test('a trailing slash is the same address, not a redirect', async (t) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${t.context.key}` }
  for (const url of [`${t.context.mcp}/`, `${t.context.alias}/`]) {
    const answer = await send(url, { method: 'POST', headers, body: JSON.stringify(ping) })
    t.is(answer.status, 200)
    t.deepEqual(answer.json.result, {})
  }
})

for (const [version, negotiated] of [
  ['2025-03-26', '2025-03-26'],
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2024-11-05', '2025-03-26'],
  ['2026-07-28', '2025-03-26'],
  ['nonsense', '2025-03-26'],
] as const)
  test(`initialize with ${version} answers ${negotiated}`, async (t) => {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const message = { jsonrpc: '2.0', id: 'i', method: 'initialize', params }
    const { json, status } = await t.context.f.post(t.context.key, message, { 'mcp-protocol-version': version })
    t.is(status, 200)
    t.is(json.result.protocolVersion, negotiated)
    t.is(json.result.serverInfo.name, 'app.service/family-inbox')
    t.is(json.result.serverInfo.version, '0.3.0')
    t.deepEqual(json.result.capabilities, { tools: {} })
    t.is('icons' in json.result.serverInfo, negotiated === '2025-11-25')
  })

test('a version header may name any revision after the handshake, but must name one', async (t) => {
  const { f, key } = t.context
  const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    t.is((await f.post(key, ping, { 'mcp-protocol-version': version })).text, (await f.post(key, ping)).text)
    t.is((await f.post(key, notification, { 'mcp-protocol-version': version })).status, 202)
  }
  for (const version of ['2025-03-27', 'nonsense', '2025-03-26, 2025-03-26', '']) {
    const answer = await f.post(key, ping, { 'mcp-protocol-version': version })
    t.is(answer.status, 400)
    t.is(answer.json.id, 1)
    t.is(answer.json.error.code, -32600)
    t.is((await f.post(key, notification, { 'mcp-protocol-version': version })).status, 400)
  }
})

test('any notification gets an empty 202, even an unknown one', async (t) => {
  for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/unheard-of']) {
    const answer = await t.context.f.post(t.context.key, { jsonrpc: '2.0', method })
    t.is(answer.status, 202)
    t.is(answer.text, '')
  }
})

test('a batch is refused with -32600', async (t) => {
  const answer = await t.context.f.post(t.context.key, [ping, ping])
  t.is(answer.status, 400)
  t.is(answer.json.error.code, -32600)
  t.is(answer.json.id, null)
})

for (const method of ['prompts/list', 'tools/unheard-of', ''])
  test(`the method "${method}" is unknown: -32601 in a 200`, async (t) => {
    const answer = await t.context.f.post(t.context.key, { jsonrpc: '2.0', id: 5, method })
    t.is(answer.status, 200)
    t.is(answer.json.error.code, -32601)
    t.is(answer.json.id, 5)
  })

for (const id of ['"a"', '0', 'null', '12345678901234567890', '{"k":[1]}', '"\\u0000"'])
  test(`the id ${id} comes back as it was sent`, async (t) => {
    const answer = await t.context.f.post(t.context.key, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    t.is(answer.text, `{"jsonrpc":"2.0","id":${id},"result":{}}`)
  })

test('invalid JSON is 400 with -32700', async (t) => {
  for (const body of ['', '{', 'jsonrpc', '{"jsonrpc":"2.0",}', '\ufeff{}x']) {
    const answer = await t.context.f.post(t.context.key, body)
    t.is(answer.status, 400)
    t.is(answer.json.error.code, -32700)
  }
})

test('invalid UTF-8 and UTF-16 are refused, not repaired', async (t) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${t.context.key}` }
  for (const body of [Buffer.from('{"id":"\xff"}', 'latin1'), Buffer.from(JSON.stringify(ping), 'utf16le')]) {
    const answer = await send(t.context.mcp, { method: 'POST', headers, body })
    t.is(answer.status, 400)
    t.is(answer.json.error.code, -32700)
  }
})

test('a body with another content type, or compressed, is 415 and explains what to send', async (t) => {
  const { f, key } = t.context
  const form = await f.post(key, JSON.stringify(ping), { 'content-type': 'application/x-www-form-urlencoded' })
  t.is(form.status, 415)
  t.regex(form.json.error.message, /Content-Type: application\/json/)
  t.is((await f.post(key, 'x', { 'content-encoding': 'gzip' })).status, 415)
})

test('a body over 256 KB is 413', async (t) => {
  const answer = await t.context.f.post(t.context.key, `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(262_144)}"}`)
  t.is(answer.status, 413)
  t.regex(answer.json.error.message, /256 KB/)
})

test('pages of another origin are refused; ours can call and read what they need', async (t) => {
  const { f, key } = t.context
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
    const answer = await f.post(key, ping, { origin })
    t.is(answer.status, 403)
    t.is(answer.headers['www-authenticate'], undefined)
    t.is(answer.headers['access-control-allow-origin'], undefined)
  }
  const allowed = await f.post(key, ping, { origin: f.stack.inboxUrl })
  t.is(allowed.status, 200)
  t.is(allowed.headers['access-control-allow-origin'], f.stack.inboxUrl)
  t.is(allowed.headers['access-control-allow-credentials'], undefined)
  t.regex(String(allowed.headers['access-control-expose-headers']), /WWW-Authenticate/)
})

test('a browser client gets its preflight answered', async (t) => {
  const headers = { origin: t.context.f.stack.baseUrl, 'access-control-request-method': 'POST' }
  const answer = await send(t.context.mcp, { method: 'OPTIONS', headers })
  t.is(answer.status, 204)
  t.regex(String(answer.headers['access-control-allow-headers']), /Authorization/)
})

test('an unknown host is refused, which stops DNS rebinding', async (t) => {
  const headers = { host: 'evil.example', 'content-type': 'application/json', authorization: `Bearer ${t.context.key}` }
  const answer = await send(t.context.mcp, { method: 'POST', headers, body: JSON.stringify(ping) })
  t.is(answer.status, 421)
  t.truthy(answer.json.error.hint)
})

test('the vendor tool server is not served here', async (t) => {
  const { f, key } = t.context
  for (const method of ['GET', 'POST']) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await send(`${f.stack.apiUrl}/mcp/vendor/v1`, { method, headers })
    t.is(answer.status, 404)
    t.deepEqual(Object.keys(answer.json.error), ['code', 'message', 'hint'])
  }
})

test('every advertised address comes from the configuration, never from Host or X-Forwarded headers', async (t) => {
  const { f, mcp } = t.context
  const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' }
  const host = { host: `127.0.0.1:${new URL(mcp).port}` }
  for (const path of ['/mcp/v1', '/.well-known/oauth-protected-resource/mcp/v1'])
    t.is(
      (await send(f.stack.apiUrl + path, { headers: { ...forged, ...host } })).text,
      (await send(f.stack.apiUrl + path)).text,
    )
})

test('livez and readyz answer on every port', async (t) => {
  const { stack } = t.context.f
  for (const url of [stack.baseUrl, stack.apiUrl, stack.inboxUrl])
    for (const path of ['/livez', '/readyz']) t.is((await send(url + path)).status, 200)
})
