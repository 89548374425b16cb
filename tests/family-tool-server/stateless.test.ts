import anyTest, { type TestFn } from 'ava'
import { type Answer, type Guest, joinFamily, send } from '../_family.ts'

const test = anyTest as TestFn<{ f: Guest; addresses: string[]; key: string }>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const { apiUrl, inboxUrl } = f.stack
  const addresses = [`${apiUrl}/mcp/v1`, `${inboxUrl}/api/mcp`, `${inboxUrl}/api/mcp/public`]
  t.context = { f, addresses, key: f.family.keys.owner }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const REVISION = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const IDENTITY = { [`${META}serverInfo`]: { name: 'app.service/family-inbox', version: '0.3.0' } }

type Icon = { mimeType: string; sizes: string[] }

type Asking = {
  params?: Record<string, unknown>
  meta?: Record<string, unknown>
  headers?: Record<string, string | undefined>
  id?: unknown
  key?: string | undefined
}

/** Asks as a client of 2026-07-28 does; what is given differs from that. */
function ask(url: string, method: string, { params = {}, meta = {}, headers = {}, id = 1, key }: Asking = {}) {
  const _meta = { [`${META}protocolVersion`]: REVISION, [`${META}clientCapabilities`]: {}, ...meta }
  const all = {
    'content-type': 'application/json',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...headers,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
  return send(url, { method: 'POST', headers: Object.fromEntries(given), body })
}

test('server/discover names the revision, what is here, and for how long that holds', async (t) => {
  const { addresses, key } = t.context
  for (const [index, url] of addresses.entries()) {
    const { status, json } = await ask(url, 'server/discover', { key })
    t.is(status, 200)
    t.is(json.result.resultType, 'complete')
    t.deepEqual(json.result.supportedVersions, [REVISION])
    t.deepEqual(json.result.capabilities, { tools: {} })
    const { icons, description, websiteUrl, ...server } = json.result._meta[`${META}serverInfo`]
    t.deepEqual(server, { name: 'app.service/family-inbox', title: 'Family Care Inbox', version: '0.3.0' })
    t.deepEqual(
      icons.map(({ mimeType, sizes }: Icon) => [mimeType, sizes]),
      [['image/png', ['48x48']]],
    )
    t.regex(icons[0].src, /^data:image\/png;base64,iVBORw0KGgo/)
    t.true(json.result.ttlMs > 0)
    t.is(json.result.cacheScope, index === 2 ? 'public' : 'private')
  }
})

test('tools/list may be cached: by everyone for the sandbox, by the caller for a family', async (t) => {
  const { addresses, key } = t.context
  for (const [index, url] of addresses.entries()) {
    const { json, text } = await ask(url, 'tools/list', { key })
    t.is(json.result.tools.length, index === 2 ? 1 : 10)
    t.is(json.result.cacheScope, index === 2 ? 'public' : 'private')
    t.true(json.result.ttlMs > 0)
    t.true(Buffer.byteLength(text) <= 12_288)
  }
})

test('one request from nothing to a tool result', async (t) => {
  const { f, addresses, key } = t.context
  const params = { name: 'list_loved_ones', arguments: null }
  for (const url of addresses.slice(0, 2)) {
    const { json } = await ask(url, 'tools/call', { params, key })
    t.is(json.result.resultType, 'complete')
    t.is(json.result.structuredContent.lovedOnes[0].id, f.family.lovedOnes[0]?.id)
    t.deepEqual(json.result._meta, IDENTITY)
  }
})

const wrong: [why: string, method: string, asking: Asking, status: number, code: number][] = [
  ['no version', 'tools/list', { meta: { [`${META}protocolVersion`]: undefined } }, 400, -32602],
  ['a version that is no text', 'tools/list', { meta: { [`${META}protocolVersion`]: 7 } }, 400, -32602],
  ['no capabilities', 'tools/list', { meta: { [`${META}clientCapabilities`]: undefined } }, 400, -32602],
  ['an id that is null', 'tools/list', { id: null }, 400, -32600],
  ['a fractional id', 'tools/list', { id: 1.5 }, 400, -32600],
  ['no version header', 'tools/list', { headers: { 'mcp-protocol-version': undefined } }, 400, -32020],
  ['another version header', 'tools/list', { headers: { 'mcp-protocol-version': '2025-11-25' } }, 400, -32020],
  ['no method header', 'tools/list', { headers: { 'mcp-method': undefined } }, 400, -32020],
  ['another method header', 'tools/list', { headers: { 'mcp-method': 'Tools/List' } }, 400, -32020],
  ['no name header', 'tools/call', { params: { name: 'ping' }, headers: { 'mcp-name': undefined } }, 400, -32020],
  ['another name header', 'tools/call', { params: { name: 'ping' }, headers: { 'mcp-name': 'pong' } }, 400, -32020],
  ['an unknown tool', 'tools/call', { params: { name: 'no_such_tool' } }, 200, -32602],
  ['initialize', 'initialize', {}, 404, -32601],
  ['ping', 'ping', {}, 404, -32601],
  ['subscriptions/listen, since nothing changes', 'subscriptions/listen', {}, 404, -32601],
  ['resources/list', 'resources/list', {}, 404, -32601],
]
for (const [why, method, asking, status, code] of wrong)
  test(`a request with ${why} gets ${status} and ${code} at every address`, async (t) => {
    const { addresses, key } = t.context
    for (const url of addresses) {
      const answer = await ask(url, method, { ...asking, key })
      t.is(answer.status, status)
      t.is(answer.json.error.code, code)
      t.deepEqual(answer.json.id, asking.id === undefined ? 1 : asking.id)
    }
  })

test('another version in body and header gets -32022 with the supported one', async (t) => {
  const { addresses, key } = t.context
  for (const version of ['1900-01-01', '2025-11-25']) {
    const meta = { [`${META}protocolVersion`]: version }
    const asking = { meta, headers: { 'mcp-protocol-version': version }, key }
    for (const url of addresses) {
      const { status, json } = await ask(url, 'server/discover', asking)
      t.is(status, 400)
      t.is(json.error.code, -32022)
      t.deepEqual(json.error.data, { supported: [REVISION], requested: version })
    }
  }
})

test('server/discover without _meta is refused as incomplete, not as unknown', async (t) => {
  const { status, json } = await t.context.f.post(t.context.key, { jsonrpc: '2.0', id: 5, method: 'server/discover' })
  t.is(status, 400)
  t.is(json.error.code, -32602)
})

test('a name in Base64 is decoded before it is compared', async (t) => {
  const { addresses, key } = t.context
  const encoded = `=?base64?${Buffer.from('ping').toString('base64')}?=`
  const asking = { params: { name: 'ping' }, headers: { 'mcp-name': encoded }, key }
  t.is((await ask(addresses[0] ?? '', 'tools/call', asking)).json.result.resultType, 'complete')
})

test('refusals keep their status and challenge, with codes outside the range that JSON-RPC reserves', async (t) => {
  const { f, addresses } = t.context
  const answer = await ask(addresses[0] ?? '', 'tools/list')
  const legacy = await f.post(undefined, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  t.is(answer.status, 401)
  t.is(answer.json.error.code, 401)
  t.is(answer.headers['www-authenticate'], legacy.headers['www-authenticate'])
})

test('eras mix on one connection: the body decides, not the header', async (t) => {
  const { f, addresses, key } = t.context
  const answers = await Promise.all([
    ask(addresses[0] ?? '', 'tools/list', { key }),
    f.post(key, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': REVISION }),
  ])
  t.deepEqual(
    answers.map(({ json }) => json.result.resultType),
    ['complete', undefined],
  )
})

const CAN_ASK = { [`${META}clientCapabilities`]: { elicitation: {} } }

function write(t: { context: { addresses: string[]; key: string } }, name: string, args: object, more: object = {}) {
  const params = { name, arguments: args, ...more }
  return ask(t.context.addresses[0] ?? '', 'tools/call', { params, meta: CAN_ASK, key: t.context.key })
}

async function anyMessage({ f, key }: { f: Guest; key: string }) {
  const lovedOneId = f.family.lovedOnes[0]?.id
  const list = await f.call(key, 'list_inbox_messages', { lovedOneId })
  return list.json.result.structuredContent.messages.at(-1) as { id: string; sender: string }
}

const accepted = (asked: Answer) => ({
  requestState: asked.json.result.requestState,
  inputResponses: { confirm: { action: 'accept', content: {} } },
})

test('a reply is confirmed by the person who sees its recipient and text, and is sent once', async (t) => {
  const { id: messageId, sender } = await anyMessage(t.context)
  const args = { messageId, body: 'We will be there at 10.' }
  const asked = await write(t, 'reply_to_inbox_message', args)
  t.is(asked.json.result.resultType, 'input_required')
  const { method, params } = asked.json.result.inputRequests.confirm
  t.is(method, 'elicitation/create')
  const address = /<(.*)>/.exec(sender)?.[1] ?? sender
  t.is(params.message, `Send this reply to ${address}?\n\nWe will be there at 10.`)

  const first = await write(t, 'reply_to_inbox_message', args, accepted(asked))
  const second = await write(t, 'reply_to_inbox_message', args, accepted(asked))
  t.is(first.json.result.structuredContent.to, address)
  t.is(second.json.result.structuredContent.replyId, first.json.result.structuredContent.replyId)
})

test('an answer counts only for the call, the text and the person it was given for', async (t) => {
  const { id: messageId } = await anyMessage(t.context)
  const args = { messageId, body: 'Yes.' }
  const asked = await write(t, 'reply_to_inbox_message', args)
  const { requestState, inputResponses } = accepted(asked)
  const coordinator = t.context.f.family.keys.coordinator
  const others = [
    write(t, 'reply_to_inbox_message', { ...args, body: 'No.' }, { requestState, inputResponses }),
    write(t, 'reply_to_inbox_message', args, { requestState: `9${requestState}`, inputResponses }),
    write(t, 'reply_to_inbox_message', args, { requestState: requestState.slice(0, -2), inputResponses }),
    write({ context: { ...t.context, key: coordinator } }, 'reply_to_inbox_message', args, accepted(asked)),
  ]
  for (const { json } of await Promise.all(others)) {
    t.true(json.result.isError)
    t.regex(json.result.content[0].text, /^Nothing was done/)
  }
})

test('when the person declines, nothing happens; when the answer is missing, they are asked again', async (t) => {
  const args = { lovedOneId: t.context.f.family.lovedOnes[0]?.id }
  const asked = await write(t, 'create_provider_code', args)
  t.regex(asked.json.result.inputRequests.confirm.params.message, /Rosa/)
  const { requestState } = asked.json.result
  const declined = await write(t, 'create_provider_code', args, {
    requestState,
    inputResponses: { confirm: { action: 'decline' } },
  })
  t.true(declined.json.result.isError)
  const again = await write(t, 'create_provider_code', args, { requestState })
  t.is(again.json.result.resultType, 'input_required')
  const done = await write(t, 'create_provider_code', args, accepted(again))
  t.regex(done.json.result.structuredContent.code, /^\S{8}$/)
})

test('an invitation is confirmed with its address and role; viewers are refused before anybody is asked', async (t) => {
  const args = { email: 'ines@almeida.example', role: 'viewer', message: 'Come and see.' }
  const asked = await write(t, 'invite_family_member', args)
  t.regex(asked.json.result.inputRequests.confirm.params.message, /ines@almeida.example.*viewer[\s\S]*Come and see/)
  const context = { ...t.context, key: t.context.f.family.keys.viewer }
  const refused = await write({ context }, 'invite_family_member', args)
  t.true(refused.json.result.isError)
})

test('clients that cannot show a form are served without a question', async (t) => {
  const params = { name: 'create_provider_code', arguments: { lovedOneId: t.context.f.family.lovedOnes[0]?.id } }
  for (const elicitation of [undefined, { url: {} }]) {
    const meta = { [`${META}clientCapabilities`]: { elicitation } }
    const { json } = await ask(t.context.addresses[0] ?? '', 'tools/call', { params, meta, key: t.context.key })
    t.is(json.result.resultType, 'complete')
  }
})
