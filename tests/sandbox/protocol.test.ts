import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import test from 'ava'
import { send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'
import { joinSandboxes, ROSA, type Sandboxes } from './_sandbox.ts'

let s: Sandboxes<SharedStack>
let url: string

test.before(async () => {
  s = await joinSandboxes()
  url = `${s.stack.inboxUrl}/api/mcp/public`
})
test.after.always(() => s?.[Symbol.asyncDispose]())

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('anyone can read the endpoint’s description, its tool and its limits', async (t) => {
  for (const address of [url, `${url}/`]) {
    const { status, json } = await send(address)
    t.is(status, 200)
    t.is(json.transport, 'streamable-http')
    t.is(json.protocolVersion, '2025-03-26')
    t.deepEqual(json.protocolVersions, ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    t.truthy(json.name)
    t.regex(json.rateLimit, /1000000 workspaces/)
    t.deepEqual(
      json.tools.map(({ name }: { name: string }) => name),
      ['start_family_care_workspace'],
    )
  }
})

test('streams and sessions are refused with 405', async (t) => {
  for (const accept of ['text/event-stream', 'application/json, text/event-stream']) {
    const answer = await send(url, { headers: { accept } })
    t.is(answer.status, 405)
    t.is(answer.headers.allow, 'POST')
  }
  t.is((await send(url, { method: 'DELETE' })).status, 405)
  t.is((await s.post({ ...ping, method: 'initialize' })).headers['mcp-session-id'], undefined)
})

test('the official TypeScript client creates a workspace without a credential', async (t) => {
  let gets = 0
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (address, init) => {
      if ((init?.method ?? 'GET') === 'GET') gets += 1
      return fetch(address, init)
    },
  })
  const client = new Client({ name: 'evaluator', version: '1' })
  await client.connect(transport)
  const { tools } = await client.listTools()
  t.deepEqual(
    tools.map(({ name }) => name),
    ['start_family_care_workspace'],
  )
  const result = await client.callTool({ name: 'start_family_care_workspace', arguments: ROSA })
  const [summary, data, ...more] = result.content as { type: string; text: string }[]
  t.deepEqual(more, [])
  t.regex(String(summary?.text), /Rosa Silva/)
  t.deepEqual(JSON.parse(String(data?.text)), result.structuredContent)
  await client.close()
  t.true(gets <= 1)
})

test('initialize answers the revision asked for, ping answers, and notifications are accepted', async (t) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const { json } = await s.post({ jsonrpc: '2.0', id: 'i', method: 'initialize', params })
  t.is(json.result.protocolVersion, '2025-11-25')
  t.deepEqual(json.result.capabilities, { tools: {} })
  t.is(
    (await s.post('{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}')).text,
    '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}',
  )
  t.is((await s.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202)
})

test('no family tool can be called or seen, with any credential', async (t) => {
  const headers = { authorization: 'Bearer sk-sand-whatever', cookie: 'family_session=whatever' }
  for (const name of [
    'ping',
    'get_user_profile',
    'list_loved_ones',
    'list_inbox_messages',
    'invite_family_member',
    '__proto__',
    7,
  ]) {
    const params = { name, arguments: {} }
    const { status, json } = await s.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
    t.is(status, 200)
    t.is(json.error.code, -32602)
  }
  const list = await s.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
  t.is(list.json.result.tools.length, 1)
  t.is((await s.post({ ...ping, method: 'resources/list' })).json.error.code, -32601)
})

test('invalid JSON-RPC is refused as on the family tool server', async (t) => {
  const refusals: [body: string, status: number, code: number][] = [
    ['{', 400, -32700],
    ['', 400, -32700],
    [JSON.stringify([ping, ping]), 400, -32600],
    [`{"jsonrpc":"2.0","id":${'['.repeat(20_000)}${']'.repeat(20_000)},"method":"ping"}`, 400, -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 400, -32602],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"start_family_care_workspace","arguments":[]}}',
      200,
      -32602,
    ],
  ]
  for (const [body, status, code] of refusals) {
    const answer = await s.post(body)
    t.is(answer.status, status, body.slice(0, 80))
    t.is(answer.json.error.code, code, body.slice(0, 80))
  }
})

test('65,535 bytes are accepted, and 65,536 are refused before reading with a hint to shorten careContext', async (t) => {
  const bodyOf = (bytes: number) => {
    const around = JSON.stringify({ ...ping, params: { careContext: '' } })
    return around.replace('""', `"${'x'.repeat(bytes - around.length)}"`)
  }
  t.is((await s.post(bodyOf(65_535))).status, 200)
  const refused = await s.post(bodyOf(65_536))
  t.is(refused.status, 413)
  t.is(refused.json.jsonrpc, '2.0')
  t.regex(refused.json.error.message, /shorten careContext/)
})

test('Content-Type is required, and is the only required header', async (t) => {
  const bare = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ping),
  })
  t.deepEqual(bare.json.result, {})
  t.is(
    (
      await send(`${url}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ping),
      })
    ).status,
    200,
  )
  t.is(
    (await send(url, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: JSON.stringify(ping) })).status,
    415,
  )
})
