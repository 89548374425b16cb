import { StatusError } from '@family-inbox/service-kit/rpc/status-error'
import test from 'ava'
import { send } from '../_family.ts'
import { startSecondGateway } from '../_second-gateway.ts'
import { readUntil } from '../_wait.ts'
import { ROSA, request, type Sandboxes, startSandboxes } from './_sandbox.ts'

const ENV = { SANDBOX_BUCKET_CAPACITY: '6', SANDBOX_REFILL_SECONDS: '600', TRUSTED_PROXIES: '1' }

/** Of a wait of ten minutes. */
const LEFT_SECONDS = 300

let s: Sandboxes

test.before(async () => {
  s = await startSandboxes(undefined, { env: ENV, separate: ['inbox'], ownMongod: true })
})
test.after.always(() => s?.[Symbol.asyncDispose]())

/** Sends a request as the proxy in front of the gateway does. */
const from = (address: string) => ({ 'x-forwarded-for': address })

const open = (address: string) => s.start(ROSA, from(address))

/** Advances time for one network by moving its bucket. */
async function letPass(seconds: number, known: Set<string>): Promise<void> {
  for (const { _id } of await s.rows('sandbox', 'buckets').find().toArray())
    if (!known.has(_id))
      await s
        .rows('sandbox', 'buckets')
        .updateOne({ _id }, [{ $set: { fullAt: { $subtract: ['$fullAt', seconds * 1000] } } }])
}

async function knownBuckets(): Promise<Set<string>> {
  return new Set((await s.rows('sandbox', 'buckets').find().toArray()).map(({ _id }) => _id))
}

test.serial('of a hundred simultaneous starts six create a workspace, across all replicas', async (t) => {
  const second = await s.secondReplica()
  const clientAddress = '203.0.113.1'
  const calls = Array.from({ length: 100 }, (_, index) =>
    (index % 2 === 0 ? s.sandbox : second).startWorkspace(request({ clientAddress }), {
      deadline: Date.now() + 10_000,
    }),
  )
  const outcomes = await Promise.allSettled(calls)
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 6)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    const { status, detail } = outcome.reason as StatusError
    t.is(status, 'RESOURCE_EXHAUSTED')
    t.true(Number(detail.retryAfterSec) > 550 && Number(detail.retryAfterSec) <= 600, `${detail.retryAfterSec}`)
  }
})

test.serial('a caller gets through once after the wait it was given', async (t) => {
  const known = await knownBuckets()
  for (let opened = 0; opened < 6; opened += 1) t.is((await open('203.0.113.2')).status, 200)
  const refused = await open('203.0.113.2')
  t.is(refused.status, 429)
  t.is(refused.json.error.code, -32029)
  const { retryAfterSec } = refused.json.error.data
  t.is(refused.headers['retry-after'], String(retryAfterSec))

  // What is left is longer than this test, however slow the machine is.
  await letPass(retryAfterSec - LEFT_SECONDS, known)
  // A gateway caches a refusal for one second.
  const again = await readUntil(
    () => open('203.0.113.2'),
    ({ json }) => json.error?.data.retryAfterSec <= LEFT_SECONDS,
  )
  t.is(again.status, 429)
  await letPass(again.json.error.data.retryAfterSec, known)
  const through = await readUntil(
    () => open('203.0.113.2'),
    ({ status }) => status !== 429,
  )
  t.is(through.status, 200)
  t.is((await open('203.0.113.2')).status, 429)
})

test.serial('an hour later all six starts are available again, and no more', async (t) => {
  const known = await knownBuckets()
  for (let opened = 0; opened < 6; opened += 1) await open('203.0.113.3')
  await letPass(3600 * 24, known)
  const statuses = []
  for (let tried = 0; tried < 8; tried += 1) statuses.push((await open('203.0.113.3')).status)
  t.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429])
})

test.serial('a forged X-Forwarded-For gains nothing, and an IPv6 network is one client', async (t) => {
  const statuses = []
  for (let tried = 0; tried < 7; tried += 1)
    statuses.push((await open(`198.51.100.${tried}, 2001:db8:1:2::${tried}`)).status)
  t.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429])
  t.is((await open('2001:db8:1:3::1')).status, 200)
})

test.serial('refused arguments spend no token, and a flood of them does not limit valid starts', async (t) => {
  const address = '203.0.113.5'
  const bad = [
    { ...ROSA, sandbox: false },
    { ...ROSA, lovedOneFirstName: 'x'.repeat(61) },
  ]
  const statuses = []
  for (let tried = 0; tried < 60; tried += 1)
    statuses.push((await s.start(bad[tried % 2] ?? ROSA, from(address))).status)
  t.true(statuses.every((status) => status === 200))
  const limited = await s.start(bad[0] ?? ROSA, from(address))
  t.is(limited.status, 429)
  t.true(limited.json.error.data.retryAfterSec <= 60)
  for (let opened = 0; opened < 6; opened += 1) t.is((await open(address)).status, 200)
  t.is((await open(address)).status, 429)
})

test.serial('two gateways share one limit', async (t) => {
  const { host } = new URL(s.stack.inboxUrl)
  await using second = await startSecondGateway(s.stack, ENV)
  const urls = [s.stack.inboxUrl, `http://${second.address}`]
  const params = { name: 'start_family_care_workspace', arguments: ROSA }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const headers = { host, 'content-type': 'application/json', ...from('203.0.113.9') }
  const statuses = []
  for (let tried = 0; tried < 10; tried += 1)
    statuses.push((await send(`${urls[tried % 2]}/api/mcp/public`, { method: 'POST', headers, body })).status)
  t.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429, 429, 429, 429])
})

test.serial('only starts count against the limit', async (t) => {
  for (let asked = 0; asked < 100; asked += 1)
    t.is((await s.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, from('203.0.113.6'))).status, 200)
  t.is((await open('203.0.113.6')).status, 200)
})

test.serial('a start that fails on our side gets its token back', async (t) => {
  const clientAddress = '203.0.113.7'
  await s.stack.pause('inbox')
  await t.throwsAsync(s.sandbox.startWorkspace(request({ clientAddress })), { instanceOf: StatusError })
  s.stack.resume('inbox')
  await s.stack.waitReady()
  for (let opened = 0; opened < 6; opened += 1) await s.sandbox.startWorkspace(request({ clientAddress }))
  await t.throwsAsync(s.sandbox.startWorkspace(request({ clientAddress })))
})

test.serial('while the database is down nobody gets through, and everyone is asked to try again', async (t) => {
  await s.stack.pause('mongod')
  const { status, json } = await open('203.0.113.8')
  t.is(status, 200)
  t.is(json.error.code, -32603)
  t.regex(json.error.message, /try again/)
  s.stack.resume('mongod')
})
