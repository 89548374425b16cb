import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { findMongod } from './binaries/find-mongod.ts'
import { freePort } from './free-port.ts'
import { withUser } from './mongo-uri.ts'
import { startMongod } from './mongod.ts'
import { type MongodAccess, mongodAccess } from './mongod-users.ts'
import { initiate, replicaSetReady } from './replica-set.ts'
import { services } from './services.ts'

async function withDataDir() {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-mongod-'))
  const { MONGODB_URI: _external, ...env } = readEnvironment()
  const found = await findMongod({ env, say: () => {} })
  const binary = 'path' in found ? found.path : ''
  return {
    dir,
    logFile: join(dir, 'mongod.log'),
    start: (port: number, access?: MongodAccess) =>
      startMongod({
        binary,
        dir: join(dir, 'data'),
        port,
        logFile: join(dir, 'mongod.log'),
        cacheSizeGb: 0.25,
        access,
      }),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}

async function write(uri: string, _id: string) {
  await using client = await MongoClient.connect(uri)
  await client
    .db('kept')
    .collection<{ _id: string }>('things')
    .insertOne({ _id }, { writeConcern: { w: 'majority', journal: true } })
}

async function read(uri: string): Promise<string[]> {
  await using client = await MongoClient.connect(uri)
  const things = await client.db('kept').collection<{ _id: string }>('things').find().toArray()
  return things.map(({ _id }) => _id)
}

/** A way to this port that closes the first connections when they ask for something, which is after a greeting. */
async function openDoor(to: number, mustClose: number) {
  let closed = 0
  const server = createServer((socket) => {
    const beyond = connect(to, '127.0.0.1')
    const end = () => [socket, beyond].map((side) => side.destroy())
    for (const side of [socket, beyond]) side.on('error', end).on('close', end)
    let said = 0
    socket.on('data', () => {
      said += 1
      if (said === 1 || closed === mustClose) return
      closed += 1
      end()
    })
    socket.pipe(beyond).pipe(socket)
  })
  const port = await freePort()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return { port, closed: () => closed, [Symbol.asyncDispose]: async () => void server.close() }
}

test.serial('mongod is a writable primary once it has started', async (t) => {
  await using data = await withDataDir()
  await using mongod = await data.start(await freePort())
  await using client = await MongoClient.connect(mongod.uri)
  const hello = await client.db('admin').command({ hello: 1 })
  t.true(hello.isWritablePrimary)
  t.is(hello.setName, 'rs0')
  const session = client.startSession()
  await session.withTransaction(() =>
    client.db('kept').collection('things').insertOne({ in: 'a transaction' }, { session }),
  )
  await session.endSession()
  t.is(await client.db('kept').collection('things').countDocuments(), 1)
})

test.serial('a mongod that says late that it is a replica set keeps its configuration', async (t) => {
  await using data = await withDataDir()
  await using mongod = await data.start(await freePort())
  await using client = await MongoClient.connect(mongod.uri)
  const { config } = await client.db('admin').command({ replSetGetConfig: 1 })
  t.deepEqual(await initiate(client.db('admin'), [{ _id: 0, host: '127.0.0.1:1' }]), config)
})

test.serial('a mongod that closes connections when it finds its port changed becomes ready', async (t) => {
  await using data = await withDataDir()
  const reachedAt = await freePort()
  await using mongod = await data.start(reachedAt)
  await using door = await openDoor(reachedAt, 4)
  await t.notThrowsAsync(replicaSetReady([{ process: mongod.process, port: door.port, reachedAt }]))
  t.is(door.closed(), 4)
})

test.serial('a killed mongod restarts with all its data', async (t) => {
  await using data = await withDataDir()
  await using mongod = await data.start(await freePort())
  await write(mongod.uri, 'before the kill')
  mongod.process.kill('SIGKILL')
  t.deepEqual(await read(mongod.uri), ['before the kill'])
  t.is(mongod.process.deaths, 1)
})

test.serial('a killed mongod’s data folder can be reopened, even on another port', async (t) => {
  await using data = await withDataDir()
  const first = await data.start(await freePort())
  await write(first.uri, 'before the kill')
  await first.process.stop({ signal: 'SIGKILL' })
  t.not(await readFile(join(data.dir, 'data', 'mongod.lock'), 'utf8'), '') // empty after a clean stop
  const elsewhere = await freePort()
  await using second = await data.start(elsewhere)
  t.regex(second.uri, new RegExp(`:${elsewhere}/`))
  t.deepEqual(await read(second.uri), ['before the kill'])
})

test.serial('an error about an unusable folder names the log file', async (t) => {
  await using data = await withDataDir()
  await (await data.start(await freePort())).process.stop()
  await writeFile(join(data.dir, 'data', 'WiredTiger.turtle'), 'rubbish')
  await writeFile(join(data.dir, 'data', 'storage.bson'), 'rubbish')
  const error = await t.throwsAsync(data.start(await freePort()))
  t.is(error?.message, `mongod keeps exiting; see ${data.logFile}`)
})

test.serial('a folder of a version without users keeps its data and lets in nobody without a password', async (t) => {
  await using data = await withDataDir()
  const before = await data.start(await freePort())
  await write(before.uri, 'before there were users')
  await before.process.stop()
  await using after = await data.start(await freePort(), await mongodAccess(data.dir, services, ''))
  t.deepEqual(await read(after.uri), ['before there were users'])
  const anyone = `mongodb://${new URL(after.uri).host}/?replicaSet=rs0`
  await t.throwsAsync(read(anyone), { code: 13 })
})

test.serial(
  'a start that was killed between two users, or lost their passwords, is completed by the next',
  async (t) => {
    await using data = await withDataDir()
    const access = await mongodAccess(data.dir, services, '')
    const { inbox, auth, ...others } = access.services
    if (inbox === undefined || auth === undefined) throw new Error('no users')
    const old = { ...auth, password: 'of another secrets folder' }
    const first = await data.start(await freePort(), { ...access, services: { auth: old } })
    await write(first.uri, 'before the kill')
    await first.process.stop({ signal: 'SIGKILL' })
    await using second = await data.start(await freePort(), access)
    t.deepEqual(await read(second.uri), ['before the kill'])
    for (const user of [inbox, auth, ...Object.values(others)])
      await t.notThrowsAsync(MongoClient.connect(withUser(second.uri, user)).then((client) => client.close()))
    await t.throwsAsync(MongoClient.connect(withUser(second.uri, old)), { code: 18 })
  },
)
