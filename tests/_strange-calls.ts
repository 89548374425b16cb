import fc from 'fast-check'

export type Posting = { body: Uint8Array; headers: Record<string, string> }

/** Posts to the tool server: almost valid calls, damaged ones, and random bytes. @param lovedOneId makes some calls valid */
export function postings(lovedOneId: string): fc.Arbitrary<Posting> {
  const messages = fc
    .oneof({ weight: 10, arbitrary: message(lovedOneId) }, anyJson, fc.array(message(lovedOneId), { maxLength: 3 }))
    .map((value) => Buffer.from(JSON.stringify(value)))
  return fc.record({
    body: fc.oneof(
      { weight: 6, arbitrary: messages },
      { weight: 3, arbitrary: mutated(messages) },
      fc.uint8Array({ maxLength: 600 }),
    ),
    headers: fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, fc.constantFrom(...HEADERS)),
  })
}

/** One to three changes: bytes inserted, overwritten, removed, repeated, or the rest cut off. */
export function mutated(whole: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const kind = fc.constantFrom<Change['kind']>('insert', 'overwrite', 'omit', 'repeat', 'cut off')
  const change = fc.record({ kind, at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) })
  return fc
    .tuple(whole, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([bytes, changes]) => changes.reduce(changed, bytes))
}

type Change = { kind: 'insert' | 'overwrite' | 'omit' | 'repeat' | 'cut off'; at: number; bytes: Uint8Array }

function changed(whole: Uint8Array, { kind, at, bytes }: Change): Uint8Array {
  const position = at % (whole.length + 1)
  const [left, right] = [whole.subarray(0, position), whole.subarray(position)]
  const parts = {
    insert: [left, bytes, right],
    overwrite: [left, bytes, right.subarray(bytes.length)],
    omit: [left, right.subarray(bytes.length)],
    repeat: [left, right.subarray(0, 40), right],
    'cut off': [left],
  }
  return Buffer.concat(parts[kind])
}

const METHODS = ['initialize', 'tools/list', 'ping', 'resources/list', 'notifications/initialized', 'server/discover']
const TOOLS = [
  'ping',
  'get_user_profile',
  'list_loved_ones',
  'list_family_members',
  'list_inbox_messages',
  'get_inbox_message',
  'list_care_events',
  'invite_family_member',
  'create_provider_code',
  'reply_to_inbox_message',
]
const ARGUMENTS = ['lovedOneId', 'messageId', 'limit', 'cursor', 'email', 'role', 'body', 'idempotencyKey', 'extra']
const POISON = ['__proto__', 'constructor', 'toString', '$where', '$ne']

const HEADERS: Record<string, string>[] = [
  { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  { accept: 'text/html', 'mcp-session-id': 'none' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },
  { authorization: '' },
  { authorization: 'Bearer ' },
  { authorization: 'Basic c2stc2FuZC14OngK' },
  { authorization: `Bearer sk-sand-${'x'.repeat(43)}` },
  { authorization: `Bearer sk-sand-${'x'.repeat(4500)}` },
  { authorization: "Bearer {'$ne':1}" },
]

const anyJson = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
const anyName = fc.constantFrom(...ARGUMENTS, ...POISON)
const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), anyName)
const anyCursor = anyJson.map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))

function message(lovedOneId: string) {
  const fields = {
    jsonrpc: fc.oneof({ weight: 20, arbitrary: fc.constant('2.0') }, anyJson),
    id: fc.oneof(fc.nat(), anyText, anyJson),
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant('tools/call') },
      fc.constantFrom(...METHODS),
      anyText,
      anyJson,
    ),
    params: fc.oneof({ weight: 8, arbitrary: toolCall(lovedOneId) }, anyJson),
  }
  return fc.record(fields, { requiredKeys: ['jsonrpc', 'method'] })
}

function toolCall(lovedOneId: string) {
  const argument = fc.oneof(
    { weight: 3, arbitrary: fc.constant(['lovedOneId', lovedOneId]) },
    fc.tuple(fc.constant('limit'), fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), anyJson)),
    fc.tuple(fc.constant('cursor'), fc.oneof(anyText, anyCursor)),
    fc.tuple(anyName, fc.oneof(anyText, anyJson)),
  )
  const someArguments = fc.array(argument, { maxLength: 4 }).map((entries) => Object.fromEntries(entries))
  return fc.record({
    name: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TOOLS) }, anyText, anyJson),
    arguments: fc.oneof({ weight: 6, arbitrary: someArguments }, anyJson),
  })
}
