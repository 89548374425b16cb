import test, { type ExecutionContext } from 'ava'
import type { MongoClient } from 'mongodb'
import { openDatabase } from '../_database.ts'
import { type Answer, type Guest, joinFamily, send } from '../_family.ts'
import { foundWorkspace, type ToolKey, type Workspace } from '../_workspace.ts'

const LIMIT = 60
const SECOND = 1000

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

for (const times of [61, 100]) {
  test.serial(`of ${times} concurrent calls with one key, exactly 60 are admitted`, async (t) => {
    const key = await workspace.owner.mintKey()
    const burst = await callAtOnce(key, times)
    isAdmitted(t, burst, LIMIT)
    for (const { status, json, headers } of burst.answers.filter(({ status }) => status !== 200)) {
      const { retryAfterSec } = json.error.data
      t.is(status, 429)
      t.is(json.error.code, -32_029)
      t.is(headers['retry-after'], String(retryAfterSec))
      t.true(Number.isInteger(retryAfterSec) && retryAfterSec >= 1 && retryAfterSec <= 60)
    }
  })
}

test.serial('a rejected call says which limit applies and spends nothing', async (t) => {
  const key = await workspace.owner.mintKey()
  await callAtOnce(key, LIMIT)
  for (let again = 0; again < 5; again += 1) t.is((await world.call(key.secret, 'ping', {}, 'mine')).json.id, 'mine')
  t.is((await callTimes(key)).length, LIMIT)
  await letPass(key, 60 * SECOND)
  isAdmitted(t, await callAtOnce(key, LIMIT + 1), LIMIT)
})

test.serial('Retry-After is exact: a second earlier a call is rejected, then it is admitted', async (t) => {
  const key = await workspace.owner.mintKey()
  await callAtOnce(key, LIMIT)
  // The first call must be half a minute ago, plus a fraction of a second.
  const [first = new Date()] = await callTimes(key)
  await letPass(key, first.getTime() + 30.1 * SECOND - Date.now())
  const { status, headers } = await world.call(key.secret, 'ping')
  const seconds = Number(headers['retry-after'])
  t.is(status, 429)
  t.true(seconds === 30 || seconds === 29, `Retry-After: ${seconds}`)
  await letPass(key, (seconds - 2) * SECOND)
  t.is((await world.call(key.secret, 'ping')).status, 429)
  await letPass(key, 2 * SECOND)
  t.is((await world.call(key.secret, 'ping')).status, 200)
})

test.serial('the window slides: as many calls are admitted as are older than sixty seconds', async (t) => {
  const key = await workspace.owner.mintKey()
  await callAtOnce(key, 10)
  await letPass(key, 50 * SECOND)
  await callAtOnce(key, 50)
  t.is((await world.call(key.secret, 'ping')).status, 429)
  await letPass(key, 10 * SECOND)
  isAdmitted(t, await callAtOnce(key, 25), 10)
})

test.serial('one key’s limit does not affect another key of the same person', async (t) => {
  const [tired, fresh] = [await workspace.owner.mintKey(), await workspace.owner.mintKey()]
  await callAtOnce(tired, LIMIT)
  t.is((await world.call(tired.secret, 'ping')).status, 429)
  isAdmitted(t, await callAtOnce(fresh, LIMIT), LIMIT)
})

test.serial(
  'only calls that come with a good key count: no GET, no wrong key, no request that names two',
  async (t) => {
    const key = await workspace.owner.mintKey()
    const url = `${world.stack.apiUrl}/mcp/v1`
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const own = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
    for (let round = 0; round < 5; round += 1) {
      t.is((await send(url, { headers: own })).status, 200)
      t.is((await send(url, { headers: { ...own, accept: 'text/event-stream' } })).status, 405)
      t.is((await send(url, { method: 'DELETE', headers: own })).status, 405)
      t.is(
        (await send(url, { method: 'POST', body, headers: { ...own, authorization: `${own.authorization}x` } })).status,
        401,
      )
      const two = { ...own, authorization: [own.authorization, own.authorization] }
      t.is((await send(url, { method: 'POST', body, headers: two })).status, 400)
    }
    t.deepEqual(await callTimes(key), [])
    isAdmitted(t, await callAtOnce(key, LIMIT + 1), LIMIT)
  },
)

test.serial('every call with a valid key counts, whatever its content', async (t) => {
  const key = await workspace.owner.mintKey()
  const messages: unknown[] = [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'none' } },
    { jsonrpc: '1.0' },
    [],
    '{"jsonrpc',
  ]
  for (let index = 0; index < LIMIT; index += 1)
    t.not((await world.post(key.secret, messages[index % messages.length])).status, 429)
  t.is((await world.post(key.secret, messages[0])).status, 429)
})

test.serial('both addresses of the tool server share the same sixty calls', async (t) => {
  const key = await workspace.owner.mintKey()
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' }
  const urls = [`${world.stack.apiUrl}/mcp/v1`, `${world.stack.inboxUrl}/api/mcp`]
  const calls = Array.from(
    { length: 80 },
    (_, index) => () => send(String(urls[index % 2]), { method: 'POST', headers, body }),
  )
  isAdmitted(t, await atOnce(calls), LIMIT)
})

type Burst = { answers: Answer[]; late: number }

function callAtOnce({ secret }: ToolKey, times: number): Promise<Burst> {
  return atOnce(Array.from({ length: times }, (_, id) => () => world.call(secret, 'ping', {}, id)))
}

/** Makes all calls concurrently, and repeats those that were too late, which may also have been counted. */
async function atOnce(calls: (() => Promise<Answer>)[]): Promise<Burst> {
  let late = 0
  const insist = async (call: () => Promise<Answer>) => {
    let answer = await call()
    for (; answer.json?.error?.code === -32_603; late += 1) answer = await call()
    return answer
  }
  const answers = await Promise.all(calls.map(insist))
  return { answers, late }
}

function isAdmitted(t: ExecutionContext, { answers, late }: Burst, count: number) {
  const admitted = answers.filter(({ status, json }) => status === 200 && json.result !== undefined).length
  t.true(admitted <= count && admitted + late >= count, `${admitted} were let through, and ${late} came too late`)
}

function keys() {
  return database.db().collection<{ _id: string; calls: Date[] }>('tool_keys')
}

async function callTimes({ id }: ToolKey): Promise<Date[]> {
  return (await keys().findOne({ _id: id }))?.calls ?? []
}

/** Moves a key's calls into the past. */
async function letPass({ id }: ToolKey, ms: number) {
  const earlier = { $map: { input: '$calls', in: { $subtract: ['$$this', Math.round(ms)] } } }
  await keys().updateOne({ _id: id }, [{ $set: { calls: earlier } }])
}
