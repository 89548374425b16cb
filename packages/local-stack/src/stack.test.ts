import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backendSettings } from '@family-inbox/service-kit/config/base-config'
import { port } from '@family-inbox/service-kit/config/config'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { z } from 'zod'
import { SHARED_MONGOD } from './borrow-databases.ts'
import { isListening } from './free-port.ts'
import type { Stack } from './run-stack.ts'
import type { Service } from './services.ts'
import { startStack } from './stack.ts'

// A minimal service: listens on its port and prints its environment.
const LISTENER = `
import { createServer } from 'node:net'
import { writeFileSync } from 'node:fs'
const { GRPC_HOST, GRPC_PORT, MONGODB_URI, SMTP_PORT, FAKETIME } = process.env
console.log(JSON.stringify({ MONGODB_URI, SMTP_PORT, FAKETIME }))
createServer().listen(Number(GRPC_PORT), GRPC_HOST)
`

async function withListeners(script = LISTENER) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-listeners-'))
  const entry = join(dir, 'listener.mjs')
  await writeFile(entry, script)
  const services: Service[] = [
    { name: 'auth', database: 'auth', settings: z.object(backendSettings), entry },
    { name: 'inbox', database: 'inbox', settings: z.object({ ...backendSettings, SMTP_PORT: port }), entry },
  ]
  return {
    services,
    processes: 'seven' as const,
    dataDir: join(dir, 'data'),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}

async function environmentIn(logFile: string) {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n')
  return JSON.parse(lines.at(-1) ?? '')
}

test.serial(
  'a stack is ready when it resolves, gives each service its settings, and leaves nothing behind',
  async (t) => {
    await using listeners = await withListeners()
    const stack = await startStack({
      ...listeners,
      dataDir: undefined,
      ownMongod: true,
      serviceEnv: { FAKETIME: '+1d' },
    })
    t.true(await isListening(Number(stack.addresses.auth?.split(':')[1])))
    t.deepEqual(await environmentIn(stack.logs('auth')), { MONGODB_URI: stack.databaseUri('auth'), FAKETIME: '+1d' })
    t.is((await environmentIn(stack.logs('inbox'))).SMTP_PORT, `${stack.smtpPort}`)
    const pids = (['auth', 'inbox', 'mongod', 'nats-server'] as const).map((name) => stack.pid(name))
    await stack[Symbol.asyncDispose]()
    t.false(existsSync(stack.dataDir))
    for (const pid of pids) t.throws(() => process.kill(pid ?? 0, 0), { code: 'ESRCH' })
  },
)

test.serial('a killed process restarts with a new pid; the others keep theirs', async (t) => {
  await using listeners = await withListeners()
  await using stack = await startStack({ ...listeners, dataDir: undefined })
  const [auth, inbox] = [stack.pid('auth'), stack.pid('inbox')]
  stack.kill('auth')
  await new Promise((resolve) => setTimeout(resolve, 50))
  await stack.waitReady()
  t.not(stack.pid('auth'), auth)
  t.is(stack.pid('inbox'), inbox)
  t.is(stack.deaths('auth'), 1)
  await stack.restart('inbox')
  t.not(stack.pid('inbox'), inbox)
  t.is(stack.deaths('inbox'), 0)
})

test.serial('a paused mongod does not respond until it is resumed', async (t) => {
  await using listeners = await withListeners()
  await using stack = await startStack({ ...listeners, dataDir: undefined, ownMongod: true })
  await using client = await MongoClient.connect(stack.databaseUri('auth'))
  const ping = () => client.db().command({ ping: 1 }, { signal: AbortSignal.timeout(300) })
  await ping()
  await stack.pause('mongod')
  await t.throwsAsync(ping())
  stack.resume('mongod')
  t.is((await client.db().command({ ping: 1 })).ok, 1)
})

test.serial('stacks can share one mongod, each with its own databases', async (t) => {
  await using listeners = await withListeners()
  await using first = await startStack({ ...listeners, dataDir: undefined, ownMongod: true })
  const env = { MONGODB_URI: first.mongoUri, NATS_URL: first.natsUrl }
  await using second = await startStack({ ...listeners, dataDir: undefined, env, databasePrefix: 'second_' })
  t.is(second.databaseUri('auth'), first.mongoUri.replace('/?', '/second_auth?'))
  t.is((await environmentIn(second.logs('auth'))).MONGODB_URI, second.databaseUri('auth'))
  t.throws(() => second.pid('mongod'), { message: /^This stack runs no mongod/ })
})

test.serial('a stack on a shared mongod sees only its own databases, and empties only them', async (t) => {
  await using listeners = await withListeners()
  await using owner = await startStack({ services: [], ownMongod: true })
  await using client = await MongoClient.connect(owner.mongoUri)
  process.env[SHARED_MONGOD] = owner.mongoUri
  t.teardown(() => {
    delete process.env[SHARED_MONGOD]
  })
  const first = await startStack({ ...listeners, dataDir: undefined })
  await using second = await startStack({ ...listeners, dataDir: undefined })
  const nameOf = (stack: Stack) => new URL(stack.databaseUri('auth')).pathname.slice(1)
  t.not(nameOf(first), nameOf(second))
  t.is((await environmentIn(first.logs('auth'))).MONGODB_URI, first.databaseUri('auth'))
  for (const stack of [first, second]) await client.db(nameOf(stack)).collection('notes').insertOne({})
  await using asSecond = await MongoClient.connect(second.databaseUri('auth'))
  t.is(await asSecond.db().collection('notes').countDocuments(), 1)
  await t.throwsAsync(asSecond.db(nameOf(first)).collection('notes').countDocuments(), { code: 13 })
  await first.stop()
  t.is(await client.db(nameOf(first)).collection('notes').countDocuments(), 0)
  t.is(await client.db(nameOf(second)).collection('notes').countDocuments(), 1)
  await using third = await startStack({ ...listeners, dataDir: undefined })
  t.is(nameOf(third), nameOf(first), 'what is empty is used again')
  await t.throwsAsync(MongoClient.connect(first.databaseUri('auth')), { code: 18 }, 'with another password')
  t.throws(() => second.kill('mongod'), { message: /^This stack runs no mongod/ })
  await using own = await startStack({ ...listeners, dataDir: undefined, ownMongod: true })
  t.truthy(own.pid('mongod'))
})

test.serial('a given data folder is kept', async (t) => {
  await using listeners = await withListeners()
  const first = await startStack(listeners)
  const { kid } = first.opsKey
  await first.stop()
  await using second = await startStack(listeners)
  t.is(second.dataDir, listeners.dataDir)
  t.is(second.opsKey.kid, kid)
})

test.serial('an error about a service that cannot start has its output', async (t) => {
  await using listeners = await withListeners('console.error("SMTP_PORT is wrong"); process.exit(1)')
  await t.throwsAsync(startStack({ ...listeners, dataDir: undefined }), {
    message: /^(auth|inbox) keeps exiting\.\n(SMTP_PORT is wrong\n?)+/,
  })
})
