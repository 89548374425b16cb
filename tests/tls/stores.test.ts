import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findNatsServer } from '@family-inbox/local-stack/binaries/find-nats-server'
import { freePort } from '@family-inbox/local-stack/free-port'
import { startNatsServer } from '@family-inbox/local-stack/nats-server'
import { identityKeys } from '@family-inbox/local-stack/secrets'
import { secureMongodbUri } from '@family-inbox/service-kit/config/base-config'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { connectNats } from '@family-inbox/service-kit/nats/nats'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import anyTest, { registerCompletionHandler, type TestFn } from 'ava'
import { MongoClient } from 'mongodb'
import { startFamily } from '../_family.ts'
import { OURS, THEIRS } from './_certificates.ts'
import { makeTlsFolder, type TlsFolder } from './_tls-folder.ts'
import { startTlsStores, type TlsStores } from './_tls-stores.ts'

const test = anyTest.serial as TestFn<{ stores: TlsStores; ours: TlsFolder; theirs: TlsFolder }>

// Clients of servers they do not trust go on trying until their process ends.
registerCompletionHandler(() => process.exit())

anyTest.before(async (t) => {
  const ours = await makeTlsFolder(OURS.first, OURS.authority)
  const theirs = await makeTlsFolder(THEIRS.first, THEIRS.authority)
  t.context = { ours, theirs, stores: await startTlsStores(ours.dir) }
})

anyTest.after.always(async (t) => {
  const { stores, ours, theirs } = t.context as { stores?: TlsStores; ours?: TlsFolder; theirs?: TlsFolder }
  await stores?.[Symbol.asyncDispose]()
  await Promise.all([ours, theirs].map((folder) => folder?.[Symbol.asyncDispose]()))
})

test('a family reads its mail when MongoDB and NATS require TLS', async (t) => {
  const { stores, ours } = t.context
  await using f = await startFamily({
    env: {
      MONGODB_URI: stores.mongoUri,
      NATS_URL: stores.natsUrl,
      MONGODB_TLS_DIR: ours.dir,
      NATS_TLS_DIR: ours.dir,
    },
  })
  const lovedOneId = f.family.lovedOnes[0]?.id
  const { json } = await f.call(f.family.keys.owner, 'list_inbox_messages', { lovedOneId })
  t.true(json.result.structuredContent.messages.length > 0)
})

test('a database with a certificate of another authority is rejected', async (t) => {
  const { stores, ours, theirs } = t.context
  const uriFor = (dir: string) => secureMongodbUri({ MONGODB_URI: stores.mongoUri, MONGODB_TLS_DIR: dir })
  const options = { serverSelectionTimeoutMS: 2000 }
  await t.throwsAsync(MongoClient.connect(uriFor(theirs.dir), options), { name: 'MongoServerSelectionError' })
  await using client = await MongoClient.connect(uriFor(ours.dir), options)
  t.truthy(await client.db('admin').command({ ping: 1 }))
})

test('a NATS server with a certificate of another authority is rejected', async (t) => {
  const { stores, ours, theirs } = t.context
  const { privateKeys } = await identityKeys(ours.dir)
  t.false(await connectsToNats(stores.natsUrl, privateKeys.inbox, theirs.dir))
  t.true(await connectsToNats(stores.natsUrl, privateKeys.inbox, ours.dir))
})

test('with a tls:// URL, a NATS server without TLS learns nothing', async (t) => {
  const { NATS_URL: _external, ...env } = readEnvironment()
  const found = await findNatsServer({ env, say: () => {} })
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-plain-nats-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const binary = 'path' in found ? found.path : ''
  await using server = await startNatsServer({ binary, dir, port: await freePort(), logFile: join(dir, 'log') })
  const { privateKeys } = await identityKeys(dir)
  t.true(await connectsToNats(server.url, privateKeys.inbox))
  t.false(await connectsToNats(server.url.replace('nats://', 'tls://'), privateKeys.inbox))
})

/** Whether a client connects; one that waits keeps trying. */
async function connectsToNats(url: string, serviceKey: unknown, tlsDir?: string): Promise<boolean> {
  const access = { natsUrl: url, natsTlsDir: tlsDir, natsUnauthenticated: true, serviceKey }
  const connecting = connectNats(access, createLogger('test', 'error'))
  const connection = await Promise.race([connecting.catch(() => undefined), sleep(2000)])
  void connecting.then((late) => late.close()).catch(() => {})
  return connection !== undefined
}
