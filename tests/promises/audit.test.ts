import { CredentialKind, Outcome } from '@family-inbox/proto/auth/v1/auth'
import test from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Guest, joinFamily } from '../_family.ts'
import { foundWorkspace, type ToolKey, type Workspace } from '../_workspace.ts'

const LIMIT = 60
const REFUSED = 10

type Row = {
  _id: string
  personId: string
  workspaceId: string
  credentialId: string
  kind: CredentialKind
  tool: string
  startedAt: Date
  durationUs: number
  outcome: Outcome
}

let world: Guest
let workspace: Workspace
let database: MongoClient

test.before(async () => {
  world = await joinFamily('limits')
  workspace = await foundWorkspace(world.stack)
  database = await openDatabase(world.stack, 'auth')
})
test.after.always(async () => {
  workspace?.[Symbol.dispose]()
  await database?.close()
  await world?.[Symbol.asyncDispose]()
})

/** A key's majority-committed rows, in call order. */
function rowsOf({ id }: ToolKey, from = database): Promise<Row[]> {
  const entries = from.db().collection<Row>('audit_entries', { readConcern: { level: 'majority' } })
  return entries.find({ credentialId: id }).sort({ startedAt: 1 }).toArray()
}

test.serial('every tool call is recorded, with tool and outcome, before its answer arrives', async (t) => {
  const key = await workspace.owner.mintKey()
  const { id: lovedOneId } = await workspace.addLovedOne()
  const calls: [expected: [tool: string, Outcome], name: unknown, args?: unknown][] = [
    [['ping', Outcome.OK], 'ping'],
    [['list_inbox_messages', Outcome.OK], 'list_inbox_messages', { lovedOneId }],
    [['list_inbox_messages', Outcome.REFUSED], 'list_inbox_messages', { lovedOneId, limit: 0 }],
    [['list_inbox_messages', Outcome.REFUSED], 'list_inbox_messages', { lovedOneId: 'lo_elsewhere' }],
    [['get_inbox_message', Outcome.REFUSED], 'get_inbox_message', { lovedOneId, messageId: 'msg_none' }],
    [['ping', Outcome.REFUSED], 'ping', { extra: 1 }],
    [['ping', Outcome.REFUSED], 'ping', 'no object'],
    [['unknown', Outcome.REFUSED], 'drop_everything', { lovedOneId }],
    [['unknown', Outcome.REFUSED], { toString: 'ping' }],
    [['unknown', Outcome.REFUSED], '__proto__'],
  ]
  const begun = Date.now()
  for (const [count, [expected, name, args]] of calls.entries()) {
    await world.post(key.secret, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
    const rows = await rowsOf(key)
    t.is(rows.length, count + 1, `${expected[0]} is not on record`)
    const { tool, outcome } = rows.at(-1) as Row
    t.deepEqual([tool, outcome], expected)
  }
  for (const row of await rowsOf(key)) {
    t.is(row.workspaceId, workspace.workspaceId)
    t.is(row.kind, CredentialKind.TOOL_KEY)
    t.true(row.startedAt.getTime() >= begun && row.startedAt.getTime() <= Date.now())
    t.true(Number.isInteger(row.durationUs) && row.durationUs > 0 && row.durationUs < 10_000_000)
  }
})

test.serial('a record has the caller, tool, time, duration and outcome, and no content', async (t) => {
  const key = await workspace.viewer.mintKey()
  const args = { lovedOneId: 'canary-argument', messageId: 'canary-message', canaryField: 'canary-value' }
  await world.call(key.secret, 'get_inbox_message', args, 'canary-id')
  await world.call(key.secret, 'canary-tool', args, 'canary-id')
  const rows = await rowsOf(key)
  t.is(rows.length, 2)
  const fields = [
    '_id',
    'credentialId',
    'durationUs',
    'kind',
    'outcome',
    'personId',
    'startedAt',
    'tool',
    'workspaceId',
  ]
  for (const row of rows) t.deepEqual(Object.keys(row).sort(), fields)
  t.notRegex(JSON.stringify(rows), /canary/)
})

test.serial('other methods, and calls from unknown callers, leave no record', async (t) => {
  const key = await workspace.owner.mintKey()
  const { post, call } = world
  const before = await database.db().collection('audit_entries').countDocuments()
  for (const method of ['initialize', 'tools/list', 'ping', 'resources/list'])
    await post(key.secret, { jsonrpc: '2.0', id: 1, method })
  await post(key.secret, { jsonrpc: '2.0', method: 'tools/call', params: { name: 'ping' } })
  await post(key.secret, '{"jsonrpc":"2.0","id":1,"method":"tools/call"')
  t.is((await call(`sk-sand-${'0'.repeat(43)}`, 'ping')).status, 401)
  t.is((await call(key.secret.slice(0, -1), 'ping')).status, 401)
  t.is((await post(undefined, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ping' } })).status, 401)
  t.is(await database.db().collection('audit_entries').countDocuments(), before)
})

test.serial('calls above the limit and with a revoked key are recorded as refused', async (t) => {
  const key = await workspace.owner.mintKey()
  const answers = await Promise.all(Array.from({ length: LIMIT + REFUSED }, () => world.call(key.secret, 'ping')))
  await workspace.owner.revokeKey(key.id)
  t.is((await world.call(key.secret, 'get_user_profile')).status, 401)
  const rows = await rowsOf(key)
  t.is(answers.filter(({ status }) => status === 429).length, REFUSED)
  t.is(rows.filter(({ outcome }) => outcome === Outcome.OK).length, LIMIT)
  t.is(rows.filter(({ outcome }) => outcome === Outcome.RATE_LIMITED).length, REFUSED)
  t.deepEqual(
    rows.filter(({ outcome }) => outcome === Outcome.UNAUTHENTICATED).map(({ tool }) => tool),
    ['get_user_profile'],
  )
  t.is(rows.length, LIMIT + REFUSED + 1)
  t.is(new Set(rows.map(({ personId }) => personId)).size, 1)
})

test.serial('a call that fails because a service is down is recorded as failed', async (t) => {
  await using f = await joinFamily('mortal')
  using household = await foundWorkspace(f.stack)
  await using audited = await openDatabase(f.stack, 'auth')
  const key = await household.owner.mintKey()
  const { id: lovedOneId } = await household.addLovedOne()
  await f.stack.pause('inbox')
  const { json } = await f.call(key.secret, 'list_inbox_messages', { lovedOneId })
  f.stack.resume('inbox')
  t.is(json.error.code, -32_603)
  t.deepEqual(
    (await rowsOf(key, audited)).map(({ tool, outcome }) => [tool, outcome]),
    [['list_inbox_messages', Outcome.FAILED]],
  )
})
