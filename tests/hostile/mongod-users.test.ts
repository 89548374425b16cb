import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { hostsOf, withUser } from '@family-inbox/local-stack/mongo-uri'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { type MongodAccess, mongodAccess } from '@family-inbox/local-stack/mongod-users'
import { services } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import anyTest, { type TestFn } from 'ava'
import { MongoClient } from 'mongodb'

type World = { uri: string; dataDir: string; logFile: string; access: MongodAccess; stop(): Promise<void> }

const test = anyTest as TestFn<World>

const OWNERS = services.flatMap(({ name, database }) => (database === undefined ? [] : [{ name, database }]))

/** A real mongod as `npm start` runs it, without the services. */
test.before(async (t) => {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'family-inbox-users-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  const access = await mongodAccess(dataDir, services, '')
  const [dir, logFile] = [join(dataDir, 'mongod'), join(dataDir, 'mongod.log')]
  const options = { dir, logFile, port: await freePort(), cacheSizeGb: 0.25, access }
  const { uri } = starting.use(await startMongod({ binary: 'path' in found ? found.path : '', ...options }))
  await using operator = await MongoClient.connect(uri)
  for (const { name, database } of OWNERS) await operator.db(database).collection('rows').insertOne({ of: name })
  const started = starting.move()
  t.context = { uri, dataDir, logFile, access, stop: () => started.disposeAsync() }
})
test.after.always((t) => t.context.stop?.())

test('a service reads and writes its own database, and no other', async (t) => {
  for (const self of OWNERS) {
    await using client = await connectAs(t.context, self.name)
    const own = client.db(self.database).collection('rows')
    for (const other of OWNERS) {
      const db = client.db(other.database)
      const rows = db.collection('rows')
      const attempts: Record<string, () => Promise<unknown>> = {
        read: () => rows.findOne(),
        list: () => db.listCollections().toArray(),
        write: () => rows.insertOne({ by: self.name }),
        index: () => rows.createIndex({ by: 1 }, { expireAfterSeconds: 3600 }),
        change: () => db.command({ collMod: 'rows', index: { name: 'by_1', expireAfterSeconds: 60 } }),
        copy: () => own.aggregate([{ $out: { db: other.database, coll: 'copied' } }]).toArray(),
        watch: () => db.command({ aggregate: 1, pipeline: [{ $changeStream: {} }], cursor: {} }),
        drop: () => db.dropCollection('copied'),
      }
      for (const [attempt, make] of Object.entries(attempts))
        t.is(await isAllowed(make), self === other, `${self.name} can ${attempt} in ${other.database}`)
    }
  }
})

test('a service administers nothing: no users, no server, no other role', async (t) => {
  for (const { name: self, database: own } of OWNERS) {
    await using client = await connectAs(t.context, self)
    for (const [database, command] of [
      [own, { createUser: 'mine', pwd: 'x', roles: ['readWrite'] }],
      [own, { grantRolesToUser: self, roles: [{ role: 'root', db: 'admin' }] }],
      [own, { updateUser: self, roles: [{ role: 'readAnyDatabase', db: 'admin' }] }],
      ['admin', { createUser: 'mine', pwd: 'x', roles: ['root'] }],
      ['admin', { usersInfo: { forAllDBs: true }, showCredentials: true }],
      ['admin', { find: 'system.users' }],
      ['local', { find: 'oplog.rs', limit: 1 }],
      ['admin', { replSetGetConfig: 1 }],
      ['admin', { setParameter: 1, ttlMonitorEnabled: false }],
      ['admin', { getLog: 'global' }],
      ['admin', { shutdown: 1 }],
      ['admin', { aggregate: 1, pipeline: [{ $currentOp: { allUsers: true } }], cursor: {} }],
    ] as const)
      t.false(await isAllowed(() => client.db(database).command(command)), `${self}: ${JSON.stringify(command)}`)
    const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true })
    t.deepEqual(databases, [{ name: own }])
  }
})

test('without a password nobody reads, writes or becomes a user, not even from this machine', async (t) => {
  await using client = new MongoClient(`mongodb://${hostsOf(t.context.uri).join()}/?directConnection=true`)
  for (const [database, command] of [
    ...OWNERS.map(({ database }) => [database, { find: 'rows' }] as const),
    ['inbox', { insert: 'rows', documents: [{}] }],
    ['admin', { createUser: 'mine', pwd: 'x', roles: ['root'] }],
    ['admin', { listDatabases: 1 }],
    ['admin', { replSetReconfig: {}, force: true }],
    ['admin', { serverStatus: 1 }],
    ['admin', { shutdown: 1 }],
  ] as const)
    t.false(await isAllowed(() => client.db(database).command(command)), JSON.stringify(command))
})

test('the password of one service is not that of another', async (t) => {
  const { uri, access } = t.context
  const { inbox, auth } = access.services
  if (inbox === undefined || auth === undefined) throw new Error('no users')
  for (const wrong of [
    { ...auth, password: inbox.password },
    { ...inbox, database: auth.database },
    { ...access.operator, password: inbox.password },
  ])
    await t.throwsAsync(MongoClient.connect(withUser(uri, wrong)), { code: 18 })
})

test('no message is compressed, so nobody reads memory with a forged length', async (t) => {
  await using client = await MongoClient.connect(t.context.uri)
  const hello = await client.db('admin').command({ hello: 1, compression: ['snappy', 'zstd', 'zlib'] })
  t.is(hello.compression, undefined)
})

test('only the owner of the data folder can read the passwords, and no process or log shows one', async (t) => {
  const { dataDir, logFile, access } = t.context
  const folder = join(dataDir, 'secrets')
  t.is((await stat(folder)).mode & 0o077, 0)
  for (const name of await readdir(folder)) t.is((await stat(join(folder, name))).mode & 0o077, 0, name)
  const users = [access.operator, ...Object.values(access.services)]
  const secrets = [access.key.key, ...users.map(({ password }) => password)]
  t.is(new Set(secrets).size, OWNERS.length + 2)
  const { stdout: processes } = await promisify(execFile)('ps', ['-ww', '-A', '-o', 'command='])
  const log = await readFile(logFile, 'utf8')
  for (const secret of secrets) t.false(processes.includes(secret) || log.includes(secret))
})

function connectAs({ uri, access }: World, name: keyof MongodAccess['services']): Promise<MongoClient> {
  const user = access.services[name]
  if (user === undefined) throw new Error(`${name} is no user`)
  return MongoClient.connect(withUser(uri, user))
}

async function isAllowed(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt()
    return true
  } catch (error) {
    // Unauthorized, or not authenticated. Anything else would prove nothing.
    if ((error as { code?: unknown }).code === 13) return false
    throw error
  }
}
