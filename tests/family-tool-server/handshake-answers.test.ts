import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { type Answer, type Guest, joinFamily, send } from '../_family.ts'

type Recorded = { status: number; headers: Record<string, string>; body: string }

/** Recorded before 2026-07-28 was supported. */
const RECORDED = join(import.meta.dirname, 'handshake-answers.json')

/** 2025-11-25 defined them; clients that ask for an earlier revision get none. */
const DESCRIBED = /,"description":"[^"]*","websiteUrl":"[^"]*","icons":\[[^\]]*\][^\]]*\]/

const HEADERS = ['content-type', 'www-authenticate', 'cache-control', 'allow']

for (const revision of [undefined, '2025-03-26', '2025-06-18', '2025-11-25'])
  test(`clients with the version header ${revision} get the answers they always got`, async (t) => {
    await using f = await joinFamily('standard', { withMail: true })
    const recorded: Record<string, Recorded> = JSON.parse(await readFile(RECORDED, 'utf8'))
    const cases = await listCases(f, revision)
    t.deepEqual(Object.keys(recorded), Object.keys(cases))
    for (const [name, ask] of Object.entries(cases)) {
      const { body, ...rest } = toRecorded(await ask(), f)
      const negotiated = `"protocolVersion":"${revision}"`
      const asRecorded = body.replace(negotiated, '"protocolVersion":"2025-03-26"').replace(DESCRIBED, '')
      t.deepEqual({ ...rest, body: asRecorded }, recorded[name], name)
      t.is(body.includes('"icons"'), revision === '2025-11-25' && name.endsWith('initialize'), name)
    }
  })

async function listCases(f: Guest, revision?: string): Promise<Record<string, () => Promise<Answer>>> {
  const headers: Record<string, string> = revision === undefined ? {} : { 'mcp-protocol-version': revision }
  const { owner, viewer } = f.family.keys
  const lovedOneId = f.family.lovedOnes[0]?.id
  const list = await f.call(owner, 'list_inbox_messages', { lovedOneId })
  const messageId = list.json.result.structuredContent.messages.at(-1).id
  const initialize = {
    protocolVersion: revision ?? '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  }
  const sandbox = (message: object) =>
    send(`${f.stack.inboxUrl}/api/mcp/public`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
  const family = (message: object | string, key: string | undefined = owner) =>
    f.post(key, typeof message === 'string' ? message : { jsonrpc: '2.0', id: 1, ...message }, headers)
  const call = (key: string, name: string, args: object = {}) =>
    family({ method: 'tools/call', params: { name, arguments: args } }, key)
  return {
    initialize: () => family({ method: 'initialize', params: initialize }),
    'initialized notification': () => f.post(owner, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers),
    'ping method': () => family({ method: 'ping' }),
    'unknown method': () => family({ method: 'prompts/list' }),
    'invalid JSON': () => family('{'),
    batch: () => family('[]'),
    'params that are no object': () => family({ method: 'tools/call', params: [] }),
    'no credential': () => f.post(undefined, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers),
    'unknown credential': () => family({ method: 'tools/list' }, 'sk-sand-unknown'),
    'ping tool': () => call(owner, 'ping'),
    get_user_profile: () => call(owner, 'get_user_profile'),
    list_loved_ones: () => call(owner, 'list_loved_ones'),
    list_family_members: () => call(owner, 'list_family_members'),
    list_inbox_messages: () => call(owner, 'list_inbox_messages', { lovedOneId, limit: 1 }),
    get_inbox_message: () => call(owner, 'get_inbox_message', { lovedOneId, messageId }),
    list_care_events: () => call(owner, 'list_care_events', { lovedOneId, limit: 1 }),
    create_provider_code: () => call(owner, 'create_provider_code', { lovedOneId }),
    reply_to_inbox_message: () => call(owner, 'reply_to_inbox_message', { messageId, body: 'Thank you.' }),
    'unknown tool': () => call(owner, 'no_such_tool'),
    'missing argument': () => call(owner, 'get_inbox_message', { lovedOneId }),
    'unknown argument': () => call(owner, 'list_inbox_messages', { lovedOneId, colour: 'red' }),
    'a message of nobody': () => call(owner, 'get_inbox_message', { lovedOneId, messageId: 'msg_0' }),
    'a write by a viewer': () => call(viewer, 'create_provider_code', { lovedOneId }),
    'sandbox initialize': () => sandbox({ method: 'initialize', params: initialize }),
    'sandbox ping': () => sandbox({ method: 'ping' }),
    'sandbox unknown tool': () => sandbox({ method: 'tools/call', params: { name: 'ping' } }),
    'sandbox without sandbox: true': () =>
      sandbox({ method: 'tools/call', params: { name: 'start_family_care_workspace', arguments: {} } }),
  }
}

/** Ids, times, codes and addresses differ with each run; whether a sender is verified is known a moment after the mail. */
const VARYING: [RegExp, string][] = [
  [/\b[a-z]{2,12}_[0-9A-Za-z]{10,}/g, '<id>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/[\w.]+@(almeida|family-inbox)\b/g, '<name>@$1'],
  [/(nextCursor|code|authenticity)(\\?":\\?")[\w=-]+/g, '$1$2<varies>'],
  // An optional field that is younger than the recording.
  [/,\\?"status\\?":\\?"open\\?"/g, ''],
]

function toRecorded({ status, headers, text }: Answer, f: Guest): Recorded {
  const { baseUrl, apiUrl, inboxUrl } = f.stack
  const steady = (value: string) =>
    VARYING.reduce(
      (all, [pattern, name]) => all.replace(pattern, name),
      value.replaceAll(baseUrl, '<base>').replaceAll(apiUrl, '<api>').replaceAll(inboxUrl, '<inbox>'),
    )
  const kept = HEADERS.filter((name) => headers[name] !== undefined)
  return {
    status,
    headers: Object.fromEntries(kept.map((name) => [name, steady(String(headers[name]))])),
    body: steady(text),
  }
}
