import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily } from '../_family.ts'

type World = {
  f: Guest
  key: string
  good: Record<string, Record<string, unknown>>
  /** The required arguments of each tool. */
  required: Record<string, string[]>
}

const test = anyTest as TestFn<World>

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const lovedOneId = f.family.lovedOnes[0]?.id
  const key = f.family.keys.coordinator
  const list = await f.call(key, 'list_inbox_messages', { lovedOneId })
  const messageId = list.json.result.structuredContent.messages[0].id
  const { json } = await f.post(key, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { tools } = json.result as { tools: { name: string; inputSchema: { required?: string[] } }[] }
  t.context = {
    f,
    key,
    required: Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []])),
    good: {
      ping: {},
      get_user_profile: {},
      list_loved_ones: {},
      list_family_members: {},
      list_inbox_messages: { lovedOneId, limit: 5 },
      get_inbox_message: { lovedOneId, messageId },
      list_care_events: { lovedOneId, limit: 5 },
      invite_family_member: {
        email: 'new@person.example',
        role: 'viewer',
        relationship: 'niece',
        message: 'Hello',
        idempotencyKey: 'k',
      },
      create_provider_code: { lovedOneId },
      reply_to_inbox_message: { messageId, lovedOneId, body: 'Thank you', idempotencyKey: 'k' },
    },
  }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const wrongValues = [
  null,
  true,
  0,
  -1,
  1e99,
  1.5,
  [],
  {},
  { $ne: null },
  { $gt: '' },
  [''],
  '',
  '\0',
  'x'.repeat(100_000),
]

/** Values that happen to be valid for an argument. */
const isFine = (field: string, value: unknown, isOptional: boolean) =>
  (value === null && isOptional) ||
  ((field === 'message' || field === 'body') &&
    typeof value === 'string' &&
    value.length < 500 &&
    value.trim() !== '' &&
    value !== '\0')

for (const tool of [
  'list_inbox_messages',
  'get_inbox_message',
  'list_care_events',
  'invite_family_member',
  'create_provider_code',
  'reply_to_inbox_message',
])
  test(`each wrong argument of ${tool} is named in the error`, async (t) => {
    const { f, key, good, required } = t.context
    for (const field of Object.keys(good[tool] ?? {}))
      for (const value of wrongValues) {
        if (isFine(field, value, !required[tool]?.includes(field))) continue
        const { status, json } = await f.call(key, tool, { ...good[tool], [field]: value })
        const shown = `${tool} ${field}=${JSON.stringify(value)?.slice(0, 40)}`
        t.is(status, 200, shown)
        t.true(json.result?.isError, shown)
        t.is(json.result.structuredContent, undefined)
        t.regex(json.result.content[0].text, new RegExp(`${field}|family`), shown)
      }
  })

test('an unknown argument is refused by name, prototype names included', async (t) => {
  const { f, key, good } = t.context
  for (const [tool, args] of Object.entries(good))
    for (const unknown of ['extra', '__proto__', 'constructor', 'toString', '$where']) {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${JSON.stringify(args).replace(/}$/, `${Object.keys(args).length > 0 ? ',' : ''}"${unknown}":{"x":1}}`)}}}`
      const { status, json } = await f.post(key, call)
      t.is(status, 200)
      t.true(json.result.isError, `${tool} ${unknown}`)
      t.true(json.result.content[0].text.includes(unknown), json.result.content[0].text)
    }
})

test('a missing required argument is named', async (t) => {
  const { f, key } = t.context
  const { json } = await f.call(key, 'get_inbox_message', { lovedOneId: f.family.lovedOnes[0]?.id })
  t.is(json.result.content[0].text, 'messageId is required.')
})

for (const limit of [0, -1, 51, 2 ** 53, 1e308, 1.5, '05', '5.0', 'five'])
  test(`a limit of ${limit} is refused with the allowed range`, async (t) => {
    const { f, key } = t.context
    for (const tool of ['list_inbox_messages', 'list_care_events']) {
      const { json } = await f.call(key, tool, { lovedOneId: f.family.lovedOnes[0]?.id, limit })
      t.true(json.result.isError)
      t.is(json.result.content[0].text, 'limit must be a whole number from 1 to 50.')
    }
  })

for (const limit of [1, 50, '5', null])
  test(`a limit of ${limit} is accepted`, async (t) => {
    const { f, key } = t.context
    const { json } = await f.call(key, 'list_inbox_messages', { lovedOneId: f.family.lovedOnes[0]?.id, limit })
    t.is(json.result.isError, undefined)
  })

test('a null optional argument counts as absent', async (t) => {
  const { f, key, good, required } = t.context
  for (const [tool, args] of Object.entries(good)) {
    const names = Object.keys(args).filter((name) => !required[tool]?.includes(name))
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    const { json } = await f.call(key, tool, { ...args, ...nulls, ...(tool === 'list_care_events' && OPEN_SPAN) })
    t.is(json.result?.isError, undefined, `${tool}: ${json.result?.content[0].text}`)
  }
})

const OPEN_SPAN = { since: '', until: '', types: [] }

test('an unknown tool is -32602', async (t) => {
  const { f, key } = t.context
  for (const name of [
    'list_messages',
    '',
    '__proto__',
    'constructor',
    'LIST_LOVED_ONES',
    'start_family_care_workspace',
    'add_visit_note',
    'schedule_visit',
  ]) {
    const { status, json } = await f.call(key, name)
    t.is(status, 200)
    t.is(json.error.code, -32602)
  }
})

test('malformed params are -32602', async (t) => {
  const { f, key } = t.context
  const call = (params: unknown) => f.post(key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  for (const params of [
    undefined,
    {},
    { name: 5 },
    { name: null },
    { name: ['ping'] },
    { name: 'ping', arguments: [] },
    { name: 'ping', arguments: 'x' },
  ])
    t.is((await call(params)).json.error.code, -32602)
  t.is((await call([])).json.error.code, -32602)
})

test('a tool without arguments can be called without any', async (t) => {
  const { f, key } = t.context
  const { json } = await f.post(key, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_loved_ones', _meta: { progressToken: 1 } },
  })
  t.is(json.result.structuredContent.lovedOnes.length, 2)
})
