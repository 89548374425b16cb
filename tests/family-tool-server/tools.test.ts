import { Ajv2020 } from 'ajv/dist/2020.js'
import anyTest, { type TestFn } from 'ava'
import { type Guest, joinFamily, send } from '../_family.ts'

type Tool = {
  name: string
  title: string
  description: string
  inputSchema: object
  outputSchema: object
  annotations: Record<string, unknown>
  securitySchemes: object[]
}

const test = anyTest as TestFn<{ f: Guest; tools: Map<string, Tool> }>
const ajv = new Ajv2020({ strict: false, validateFormats: false })

test.before(async (t) => {
  const f = await joinFamily('standard', { withMail: true })
  const { json } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const tools = new Map<string, Tool>(json.result.tools.map((tool: Tool) => [tool.name, tool]))
  t.context = { f, tools }
})
test.after.always((t) => t.context.f?.[Symbol.asyncDispose]())

const reads = [
  'ping',
  'get_user_profile',
  'list_loved_ones',
  'list_family_members',
  'list_inbox_messages',
  'get_inbox_message',
  'list_care_events',
]
const writes = ['invite_family_member', 'create_provider_code', 'reply_to_inbox_message']

const SEND_MAIL = ['invite_family_member', 'reply_to_inbox_message']

type Input = { properties: Record<string, { description?: string }> }
type Output = { required?: string[]; properties: Record<string, { items?: { required?: string[] } }> }

test('every tool has a description and JSON Schema 2020-12 for input and output', (t) => {
  t.deepEqual([...t.context.tools.keys()], [...reads, ...writes])
  for (const tool of t.context.tools.values()) {
    t.truthy(tool.title)
    t.true(tool.description.length > 40)
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      t.is((schema as { type: string }).type, 'object')
      t.notThrows(() => ajv.compile(schema))
    }
    t.is((tool.inputSchema as { additionalProperties: boolean }).additionalProperties, false)
    t.is(tool.annotations.title, tool.title)
    t.is(tool.annotations.readOnlyHint, reads.includes(tool.name))
  }
})

test('only tools that send mail have destructiveHint, and no write claims to be repeatable', (t) => {
  for (const { name, annotations } of t.context.tools.values()) {
    t.is(annotations.destructiveHint, SEND_MAIL.includes(name), name)
    t.falsy(annotations.idempotentHint, name)
  }
})

test('tools that send mail or return text by outsiders have openWorldHint', (t) => {
  const open = [...SEND_MAIL, 'list_inbox_messages', 'get_inbox_message', 'list_care_events']
  for (const { name, annotations } of t.context.tools.values())
    t.is(annotations.openWorldHint, open.includes(name), name)
})

test('results say which fields they always have, and may gain others', (t) => {
  const always = (name: string) => t.context.tools.get(name)?.outputSchema as Output
  t.deepEqual(always('list_care_events').required, ['events', 'pipeAvailable'])
  const [event] = [always('list_care_events').properties.events?.items]
  t.deepEqual(event?.required, ['id', 'eventType', 'occurredAt', 'receivedAt', 'source'])
  for (const { name, outputSchema } of t.context.tools.values()) {
    t.true(((outputSchema as Output).required ?? []).length > 0, name)
    t.notRegex(JSON.stringify(outputSchema), /"additionalProperties":false/, name)
  }
})

test('the whole list fits into 12 KB, in short descriptions and plain schemas', async (t) => {
  const { f, tools } = t.context
  const { text } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  t.true(Buffer.byteLength(text) <= 12_288, `${Buffer.byteLength(text)} bytes`)
  t.notRegex(text, /"(\$schema|pattern)"|9007199254740991/)
  t.regex(text, /"format":"date-time"/)
  for (const { name, description } of tools.values()) t.true(description.split(/\s+/).length <= 60, name)
})

/** About four bytes are a token in English JSON. */
test('every model reads the list in each conversation: what it costs is printed', async (t) => {
  const { f } = t.context
  const { text } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const bytes = Buffer.byteLength(text)
  t.log(`tools/list: ${bytes} bytes, about ${Math.round(bytes / 4)} tokens`)
  t.true(bytes > 5000)
})

test('every argument has a description', (t) => {
  for (const { name, inputSchema } of t.context.tools.values())
    for (const [argument, { description }] of Object.entries((inputSchema as Input).properties))
      t.regex(description ?? '', /^[A-Z].*[.]$/, `${name} ${argument}`)
})

/** Claude’s directory refuses tools whose descriptions say how a model is to behave: such rules are in the instructions. */
test('descriptions say what a tool does, and nothing to the model', (t) => {
  const RULES =
    /\b(always|never|must|should|do not|don’t|first|before you|call this|use this|make sure|remember|treat|ignore|instead of|prefer|important|ask the)\b/i
  for (const tool of t.context.tools.values())
    t.notRegex(JSON.stringify(tool).replaceAll(/(?:newest|oldest|latest) first/gi, ''), RULES, tool.name)
})

test('each tool says which scope a token needs for it', (t) => {
  const scopes = [...t.context.tools.values()].map(({ name, securitySchemes }) => [name, securitySchemes])
  t.deepEqual(Object.fromEntries(scopes).ping, [{ type: 'oauth2', scopes: [] }])
  t.deepEqual(Object.fromEntries(scopes).list_inbox_messages, [{ type: 'oauth2', scopes: ['care_circle:read'] }])
  t.deepEqual(Object.fromEntries(scopes).reply_to_inbox_message, [{ type: 'oauth2', scopes: ['care_circle:write'] }])
})

test('null counts as no arguments', async (t) => {
  const { f } = t.context
  const params = { name: 'ping', arguments: null }
  const { json } = await f.post(f.family.keys.owner, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  t.is(json.result.structuredContent.authMethod, 'key')
})

test('the public catalogue lists the same tools, with their scopes', async (t) => {
  const { tools } = (await send(`${t.context.f.stack.apiUrl}/mcp/v1`)).json
  const scopes = Object.fromEntries(tools.map(({ name, scope }: { name: string; scope: string }) => [name, scope]))
  t.deepEqual(scopes, {
    ping: null,
    get_user_profile: 'profile:read',
    list_loved_ones: 'care_circle:read',
    list_family_members: 'care_circle:read',
    list_inbox_messages: 'care_circle:read',
    get_inbox_message: 'care_circle:read',
    list_care_events: 'care_circle:read',
    invite_family_member: 'care_circle:write',
    create_provider_code: 'care_circle:write',
    reply_to_inbox_message: 'care_circle:write',
  })
})

/** Calls a tool and checks the result against its output schema and its text copy. */
async function callToSchema(
  { f, tools }: { f: Guest; tools: Map<string, Tool> },
  key: string,
  name: string,
  args: object = {},
) {
  const { json, status } = await f.call(key, name, args)
  const { structuredContent, content, isError } = json.result
  const validate = ajv.compile(tools.get(name)?.outputSchema ?? false)
  const problems = validate(structuredContent) ? [] : validate.errors
  return {
    status,
    isError,
    problems,
    data: structuredContent,
    mirrored: content.length === 1 && content[0].text === JSON.stringify(structuredContent),
  }
}

for (const role of ['owner', 'coordinator', 'viewer'] as const)
  test(`every read tool returns a valid result to the ${role}, and the same as text`, async (t) => {
    const { f } = t.context
    const lovedOneId = f.family.lovedOnes[0]?.id
    const key = f.family.keys[role]
    const list = await f.call(key, 'list_inbox_messages', { lovedOneId })
    const messageId = list.json.result.structuredContent.messages[0].id
    const args: Record<string, object> = {
      list_inbox_messages: { lovedOneId, limit: 2 },
      get_inbox_message: { lovedOneId, messageId },
      list_care_events: { lovedOneId },
    }
    for (const name of reads) {
      const answer = await callToSchema(t.context, key, name, args[name])
      t.is(answer.status, 200, name)
      t.is(answer.isError, undefined, name)
      t.deepEqual(answer.problems, [], name)
      t.true(answer.mirrored, name)
    }
  })

test('the profile is the caller’s own, with the workspace’s name, id and plan, and nobody else’s email', async (t) => {
  const { f } = t.context
  const { json } = await f.call(f.family.keys.viewer, 'get_user_profile')
  const profile = json.result.structuredContent
  t.is(profile.email, f.family.people.viewer)
  t.is(profile.role, 'viewer')
  t.deepEqual(profile.workspace, { id: f.family.workspaceId, name: 'The Almeida family', plan: 'family' })
  t.false(JSON.stringify(json).includes(f.family.people.owner))
})

test('ping returns the caller, the workspace and the kind of credential, and no health data', async (t) => {
  const { f } = t.context
  const { json } = await f.call(f.family.keys.owner, 'ping')
  const { callerId, ...rest } = json.result.structuredContent
  t.regex(callerId, /^per_/)
  t.deepEqual(rest, { tenant: f.family.workspaceId, authMethod: 'key' })
})

test('loved ones have a name, an inbox address and nothing else', async (t) => {
  const { f } = t.context
  const { json } = await f.call(f.family.keys.owner, 'list_loved_ones')
  t.deepEqual(json.result.structuredContent.lovedOnes, f.family.lovedOnes)
})

test('members have a role, relationship, status and email', async (t) => {
  const { f } = t.context
  const { json } = await f.call(f.family.keys.viewer, 'list_family_members')
  const members = json.result.structuredContent.members
  t.deepEqual(
    members.map(({ role, relationship, status, email }: Record<string, string>) => [role, relationship, status, email]),
    [
      ['owner', 'daughter', 'active', f.family.people.owner],
      ['coordinator', 'son', 'active', f.family.people.coordinator],
      ['viewer', 'neighbour', 'active', f.family.people.viewer],
    ],
  )
})

test('mail is listed newest first, in pages without gaps or overlaps', async (t) => {
  const { f } = t.context
  const lovedOneId = f.family.lovedOnes[0]?.id
  const whole = (await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId })).json.result.structuredContent
  t.is(whole.messages.length, 4)
  t.is(whole.nextCursor, undefined)
  const times = whole.messages.map(({ receivedAt }: { receivedAt: string }) => receivedAt)
  t.deepEqual(times, [...times].sort().reverse())
  const paged = []
  let cursor: string | undefined
  do {
    const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', {
      lovedOneId,
      limit: 1,
      ...(cursor && { cursor }),
    })
    paged.push(...json.result.structuredContent.messages)
    cursor = json.result.structuredContent.nextCursor
  } while (cursor)
  // Senders may be checked between two reads.
  const lasting = (messages: object[]) => messages.map((message) => ({ ...message, authenticity: undefined }))
  t.deepEqual(lasting(paged), lasting(whole.messages))
})

test('without a linked agency the list of care events is empty and pipeAvailable is false', async (t) => {
  const { f } = t.context
  const { json } = await f.call(f.family.keys.viewer, 'list_care_events', { lovedOneId: f.family.lovedOnes[1]?.id })
  t.deepEqual(json.result.structuredContent, { events: [], pipeAvailable: false })
})
