import { Ajv2020 } from 'ajv/dist/2020.js'
import anyTest, { type TestFn } from 'ava'
import { type Answer, type Guest, joinFamily, send } from '../_family.ts'
import type { Sink } from '../_mail-sink.ts'
import { connectApplication, signIn, type Visitor } from '../_visitor.ts'

const ROLES = ['owner', 'coordinator', 'viewer'] as const
const ALL = ['profile:read', 'care_circle:read', 'care_circle:write']

type Role = (typeof ROLES)[number]
type Call = (tool: string, args: object) => Promise<Answer>

const test = anyTest as TestFn<{
  f: Guest
  sink: Sink
  visitors: Record<Role, Visitor>
  /** One credential for each role and kind. */
  calls: Record<Role, Record<string, Call>>
  schemas: Map<string, object>
  messageId: string
}>

const ajv = new Ajv2020({ strict: false, validateFormats: false })

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const { sink } = f
  const bearer =
    (token: string): Call =>
    (tool, args) =>
      f.call(token, tool, args)
  const session =
    (visitor: Visitor): Call =>
    (tool, args) => {
      const headers = { cookie: visitor.cookie, origin: f.stack.inboxUrl, 'content-type': 'application/json' }
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: args },
      })
      return send(`${f.stack.inboxUrl}/api/mcp`, { method: 'POST', headers, body })
    }
  const visitors = {} as Record<Role, Visitor>
  const calls = {} as Record<Role, Record<string, Call>>
  for (const role of ROLES) {
    const visitor = await signIn(f, sink, f.family.people[role])
    visitors[role] = visitor
    calls[role] = {
      key: bearer(f.family.keys[role]),
      session: session(visitor),
      'token with all scopes': bearer((await connectApplication(f, visitor, ALL)).access_token),
      'token that may only read': bearer((await connectApplication(f, visitor, ALL.slice(0, 2))).access_token),
      'token with the profile only': bearer((await connectApplication(f, visitor, ALL.slice(0, 1))).access_token),
    }
  }
  const { json } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const schemas = new Map<string, object>(
    json.result.tools.map((tool: { name: string; outputSchema: object }) => [tool.name, tool.outputSchema]),
  )
  const list = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id })
  t.context = { f, sink, visitors, calls, schemas, messageId: list.json.result.structuredContent.messages[0].id }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

type Expected = 'answers' | 'refuses viewers' | 'insufficient_scope'

const TOOLS: [
  tool: string,
  scope: string | undefined,
  args: (lovedOneId: string, messageId: string, nth: number) => object,
][] = [
  ['ping', undefined, () => ({})],
  ['get_user_profile', 'profile:read', () => ({})],
  ['list_loved_ones', 'care_circle:read', () => ({})],
  ['list_family_members', 'care_circle:read', () => ({})],
  ['list_inbox_messages', 'care_circle:read', (lovedOneId) => ({ lovedOneId })],
  ['get_inbox_message', 'care_circle:read', (lovedOneId, messageId) => ({ lovedOneId, messageId })],
  ['list_care_events', 'care_circle:read', (lovedOneId) => ({ lovedOneId })],
  [
    'invite_family_member',
    'care_circle:write',
    (_l, _m, nth) => ({ email: `guest${nth}@family.example`, role: 'viewer' }),
  ],
  ['create_provider_code', 'care_circle:write', (lovedOneId) => ({ lovedOneId })],
  [
    'reply_to_inbox_message',
    'care_circle:write',
    (lovedOneId, messageId) => ({ lovedOneId, messageId, body: 'Thank you.' }),
  ],
]

/** Scopes bind tokens only, the role binds everyone, and no consent lets a viewer write. */
function expectation(role: Role, kind: string, scope: string | undefined): Expected {
  const held =
    { 'token that may only read': ALL.slice(0, 2), 'token with the profile only': ALL.slice(0, 1) }[kind] ?? ALL
  if (scope === 'care_circle:write' && role === 'viewer') return 'refuses viewers'
  return scope !== undefined && !held.includes(scope) ? 'insufficient_scope' : 'answers'
}

let nth = 0

for (const role of ROLES)
  for (const kind of [
    'key',
    'session',
    'token with all scopes',
    'token that may only read',
    'token with the profile only',
  ])
    test(`every tool allows or refuses the ${role} with a ${kind} as specified`, async (t) => {
      const { calls, schemas, f, messageId } = t.context
      for (const [tool, scope, args] of TOOLS) {
        nth += 1
        const answer = await calls[role][kind]?.(tool, args(f.family.lovedOnes[0]?.id ?? '', messageId, nth))
        const expected = expectation(role, kind, scope)
        const shown = `${role}, ${kind}, ${tool}: ${answer?.text.slice(0, 200)}`
        if (expected === 'insufficient_scope') {
          t.is(answer?.status, 403, shown)
          t.is(answer?.json.error.code, -32003, shown)
          t.is(answer?.json.id, 1)
          t.regex(
            String(answer?.headers['www-authenticate']),
            /^Bearer error="insufficient_scope", scope="[^"]*", resource_metadata="/,
          )
        } else if (expected === 'answers') {
          t.is(answer?.status, 200, shown)
          const validate = ajv.compile(schemas.get(tool) ?? false)
          t.true(validate(answer?.json.result?.structuredContent), shown)
        } else {
          t.is(answer?.status, 200, shown)
          t.true(answer?.json.result.isError, shown)
          t.regex(answer?.json.result.content[0].text, /Viewers can read/)
        }
      }
    })

test('the session cookie is ignored without our own Origin, and on the tool server’s host', async (t) => {
  const { f, visitors } = t.context
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const post = (url: string, headers: Record<string, string>) =>
    send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: visitors.owner.cookie, ...headers },
      body,
    })
  const alias = `${f.stack.inboxUrl}/api/mcp`
  t.is((await post(alias, { origin: f.stack.inboxUrl })).status, 200)
  t.is((await post(alias, {})).status, 401)
  t.is((await post(alias, { origin: 'https://evil.example' })).status, 403)
  t.is((await post(alias, { origin: f.stack.apiUrl })).status, 401)
  t.is((await post(`${f.stack.apiUrl}/mcp/v1`, { origin: f.stack.inboxUrl })).status, 401)
  const badBearer = await post(alias, { origin: f.stack.inboxUrl, authorization: 'Bearer nonsense' })
  t.is(badBearer.status, 401)
  t.regex(String(badBearer.headers['www-authenticate']), /^Bearer /)
})

test('a token works at both addresses', async (t) => {
  const { f, visitors } = t.context
  const { access_token } = await connectApplication(f, visitors.coordinator, ALL)
  for (const url of [`${f.stack.apiUrl}/mcp/v1`, `${f.stack.inboxUrl}/api/mcp`]) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${access_token}` }
    const answer = await send(url, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
    t.is(answer.status, 200)
  }
})

test('signing out ends the session for the next call', async (t) => {
  const { f, sink } = t.context
  const visitor = await signIn(f, sink, f.family.people.viewer)
  const headers = { 'content-type': 'application/json', cookie: visitor.cookie, origin: f.stack.inboxUrl }
  const ping = () =>
    send(`${f.stack.inboxUrl}/api/mcp`, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })
  t.is((await ping()).status, 200)
  await visitor.submit('/sign-out', {})
  t.is((await ping()).status, 401)
})
