import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readKey } from '@family-inbox/deploy/backup/key'
import { shipSlice } from '@family-inbox/deploy/backup/oplog/ship'
import { unseal } from '@family-inbox/deploy/backup/seal'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import test from 'ava'
import { BSON, type Db, MongoClient } from 'mongodb'
import { until } from '../_wait.ts'
import { startMongodIn, startReplicaSet } from './_replica-set.ts'
import { startStorage } from './_s3-storage.ts'

const SLICES = /\.oplog\.tar\.gz\.age$/

test.serial(
  'a restore to a moment has everything from before it and nothing from after, the same each time',
  async (t) => {
    await using home = await startHome()
    const { db, rows } = home
    await home.backup(['nightly', '--no-try'])
    await using _shipping = await home.keepShipping()
    await changeInManyWays(home.client, 'before')
    const moment = await quietMoment(home.client)
    const before = await contentsOf(home.client)
    await changeInManyWays(home.client, 'after')
    await db.dropCollection('short_lived')
    const end = await quietMoment(home.client)
    const after = await contentsOf(home.client)
    await home.untilSlicedTo(end)

    const restore = (uri: string, time: Date) =>
      home.backup([
        'restore',
        home.newest(),
        '--key-file',
        home.key,
        '--until',
        time.toISOString(),
        '--mongodb-uri',
        uri,
      ])
    for (const name of ['first', 'second']) {
      await using target = await startMongodIn(home.folder(name))
      await using client = await new MongoClient(target.uri).connect()
      t.regex((await restore(target.uri, moment)).stdout, /Replayed \d{3,} changes/)
      t.deepEqual(await contentsOf(client), before)
      t.regex((await restore(target.uri, moment)).stdout, /Replayed 0 changes/)
      t.deepEqual(await contentsOf(client), before, 'replayed twice')
      if (name === 'first') continue
      await restore(target.uri, end)
      t.deepEqual(await contentsOf(client), after, 'and on to a later time')
      await t.throwsAsync(restore(target.uri, moment), { message: /is already at.*restore into an empty one/ })
    }
    t.true((await rows('messages').countDocuments()) > 0)
  },
)

test.serial(
  'a slice has what a majority has, and what an election can take back comes with the next one',
  async (t) => {
    await using home = await startHome()
    await home.backup(['nightly', '--no-try'])
    const primary = await home.primary()
    const others = home.set.members.filter(({ port }) => port !== primary)
    const direct = `mongodb://127.0.0.1:${primary}/?directConnection=true`
    await using client = await new MongoClient(direct).connect()
    const rows = client.db('inbox').collection<{ _id: string }>('messages')
    const ship = () =>
      shipSlice({
        uri: direct,
        dataDir: home.folder('data'),
        folder: home.folder('data/backups'),
        keepKeys: async () => true,
      })
    await rows.insertOne({ _id: 'on all three' }, { writeConcern: { w: 3 } })
    await until(async () => {
      await ship()
      return (await home.insertedIn()).length === 1
    })
    for (const { process } of others) process.kill('SIGSTOP')
    await rows.insertOne({ _id: 'on one' }, { writeConcern: { w: 1 } })
    await ship()
    t.deepEqual(await home.insertedIn(), ['on all three'])
    for (const { process } of others) process.kill('SIGCONT')
    await until(async () => {
      await ship().catch(() => {})
      return (await home.insertedIn()).includes('on one') || (await rows.findOne({ _id: 'on one' })) === null
    })
    t.deepEqual((await home.insertedIn()).includes('on one'), (await rows.findOne({ _id: 'on one' })) !== null)
  },
)

test.serial('a gap in the slices stops a restore, and a gap in the oplog asks for a new backup', async (t) => {
  await using home = await startHome()
  await t.throwsAsync(home.backup(['oplog', '--once']), { message: /no backup that slices could follow.*-- nightly/ })
  await home.backup(['nightly', '--no-try'])
  for (const _id of ['1', '2', '3']) {
    await home.rows('messages').insertOne({ _id })
    await home.backup(['oplog', '--once'])
  }
  const slices = (await readdir(home.folder('data/backups/oplog'))).filter((name) => SLICES.test(name)).sort()
  t.is(slices.length, 3)
  await rm(home.folder('data/backups/oplog', slices[1] ?? ''))
  await using target = await startMongodIn(home.folder('target'))
  const restore = (time: string) =>
    home.backup(['restore', home.newest(), '--key-file', home.key, '--until', time, '--mongodb-uri', target.uri])
  await t.throwsAsync(restore(new Date().toISOString()), {
    message: /There is a gap in the slices.*take a backup from after/,
  })
  await t.throwsAsync(restore('2026-11-28 03:00'), { message: /ISO 8601 time with a zone/ })

  await using other = await startMongodIn(home.folder('other'))
  await using client = await new MongoClient(other.uri).connect()
  await client.db('inbox').collection<{ _id: string }>('workspace_keys').insertOne({ _id: 'the Berg family' })
  const elsewhere = { MONGODB_URI: other.uri }
  const gap = await t.throwsAsync(home.backup(['oplog', '--once'], elsewhere), {
    message: /There is a gap: the oplog no longer/,
  })
  t.regex(gap?.message ?? '', /Make a full backup now, and slices follow it/)
  t.regex((await home.status()).oplogFailure ?? '', /There is a gap/, 'which the doctor says')
  await home.backup(['nightly', '--no-try'], elsewhere)
  await home.backup(['oplog', '--once'], elsewhere)
  t.is((await home.status()).oplogFailure, undefined)
})

test.serial('slices in a bucket open with the keys beside them, and no slice has the key of a family', async (t) => {
  await using home = await startHome()
  await using storage = await startStorage(home.folder('s3'))
  await home.backup(['nightly', '--no-try'], storage.settings)
  await home.rows('workspace_keys').insertOne({ _id: 'the Costa family', key: 'a key of a new family' })
  await home.rows('workspace_keys').deleteOne({ _id: 'the Berg family' })
  await home.rows('messages').insertOne({ _id: 'a mail of today' })
  await home.backup(['oplog', '--once'], storage.settings)
  const moment = await quietMoment(home.client)
  await home.rows('messages').insertOne({ _id: 'a mail too many' })
  await until(async () => {
    await home.backup(['oplog', '--once'], storage.settings)
    return new Date((await home.status()).slicedTo) > new Date(moment.getTime() + 1000)
  })
  const slices = await readdir(join(storage.files, 'home/oplog'))
  const here = await readdir(home.folder('data/backups/oplog'))
  t.deepEqual(slices.sort(), here.filter((name) => SLICES.test(name)).sort())
  t.false((await home.slicedBytes()).includes('a key of a new family'))

  await using target = await startMongodIn(home.folder('target'))
  const named = `s3://backups/home/${home.newest().split('/').at(-1)}`
  const args = ['--key-file', home.key, '--until', moment.toISOString(), '--mongodb-uri', target.uri]
  await home.backup(['restore', named, ...args], storage.settings)
  await using client = await new MongoClient(target.uri).connect()
  const ids = async (name: string) =>
    (await client.db('inbox').collection(name).find().sort({ _id: 1 }).toArray()).map(({ _id }) => String(_id))
  t.deepEqual(await ids('messages'), ['a mail', 'a mail of today'])
  t.deepEqual(await ids('workspace_keys'), ['the Almeida family', 'the Costa family'])
})

type Status = { oplogFailure?: string; slicedTo: string }
type Row = { _id: string; n?: number; count?: number; tags?: string[]; deep?: object; text?: string; key?: string }

/** Three mongods with a mail and the keys of two families, and a folder for backups. */
async function startHome() {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-moment-'))
  const folder = (...names: string[]) => join(dir, ...names)
  const set = await startReplicaSet(folder('set'))
  const client = await new MongoClient(set.uri).connect()
  const db = client.db('inbox')
  const rows = (name: string) => db.collection<Row>(name)
  await rows('messages').insertOne({ _id: 'a mail' })
  await rows('workspace_keys').insertMany([{ _id: 'the Almeida family' }, { _id: 'the Berg family' }])
  await rows('short_lived').insertOne({ _id: 'dropped later' })
  const main = join(REPOSITORY, 'deploy/src/backup.ts')
  const env = (settings: Record<string, string> = {}) => ({
    ...process.env,
    DATA_DIR: folder('data'),
    MONGODB_URI: set.uri,
    ...settings,
  })
  const backup = (args: string[], settings?: Record<string, string>) =>
    promisify(execFile)(process.execPath, [main, ...args], { timeout: 120_000, env: env(settings) })
  const key = folder('key.txt')
  await writeFile(key, (await backup(['key'])).stdout)
  const status = async (): Promise<Status> =>
    JSON.parse(await readFile(folder('data/backups/oplog/status.json'), 'utf8'))
  const slices = folder('data/backups/oplog')

  return {
    ...{ set, client, db, rows, folder, backup, key, status },
    newest: () => JSON.parse(readFileSync(folder('data/backups/status.json'), 'utf8')).file as string,
    primary: async () => Number((await client.db('admin').command({ hello: 1 })).primary.split(':')[1]),
    async untilSlicedTo(time: Date) {
      await until(async () => new Date((await status()).slicedTo) > time)
    },
    /** `npm run backup -- oplog` every second, which ends well when it is stopped. */
    async keepShipping(): Promise<AsyncDisposable> {
      const child = spawn(process.execPath, [main, 'oplog', '--every', '1'], { env: env(), stdio: 'inherit' })
      const ended = once(child, 'exit')
      return {
        async [Symbol.asyncDispose]() {
          child.kill('SIGTERM')
          const [code] = await ended
          if (code !== 0) throw new Error(`it ended with ${code}`)
        },
      }
    },
    /** The entries of all slices, opened. */
    async slicedBytes(): Promise<Buffer> {
      const opened = await mkdtemp(folder('opened-'))
      const names = (await readdir(slices)).filter((name) => SLICES.test(name)).sort()
      const bytes: Buffer[] = []
      for (const name of names) {
        await unseal(join(slices, name), await readKey(key), opened)
        bytes.push(await readFile(join(opened, 'oplog.bson')))
      }
      return Buffer.concat(bytes)
    },
    async insertedIn(): Promise<string[]> {
      const found: string[] = []
      const bytes = await this.slicedBytes()
      for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
        const { op, ns, o } = BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at)))
        if (op === 'i' && ns === 'inbox.messages') found.push(o._id)
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await set[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Some hundred changes of every kind that services make, marked, and a transaction larger than an entry of the oplog. */
async function changeInManyWays(client: MongoClient, mark: string): Promise<void> {
  const db = client.db('inbox')
  const rows = db.collection<Row>('messages')
  const id = (name: string) => `${mark} ${name}`
  await rows.insertMany(
    Array.from({ length: 100 }, (_, n) => ({ _id: id(`mail ${n}`), n, tags: ['a', 'b', 'c'], deep: { x: 1 } })),
  )
  await rows.updateMany(
    { n: { $lt: 50 } },
    { $inc: { n: 1000 }, $push: { tags: mark }, $set: { 'deep.y': { z: mark } } },
  )
  await rows.updateOne({ _id: id('mail 3') }, { $unset: { deep: '' }, $pop: { tags: -1 } })
  await rows.updateOne({ _id: id('mail 4') }, [{ $set: { tags: { $slice: ['$tags', 1] } } }])
  await rows.replaceOne({ _id: id('mail 5') }, { text: mark, deep: { long: BSON.Long.fromNumber(5) } })
  await rows.deleteMany({ _id: { $in: [id('mail 6'), id('mail 7')] } })
  await rows.insertOne({ _id: id('mail 6'), text: 'again' })
  await rows.findOneAndUpdate({ _id: id('counter') }, { $inc: { count: 1 } }, { upsert: true })
  const made = db.collection<Row>(`made_${mark}`)
  await made.insertOne({ _id: id('of a new collection') })
  await made.createIndex({ mark: 1 }, { name: mark, unique: true, sparse: true })
  await db.collection('messages').createIndex({ n: -1, [mark]: 1 }, { name: `newest_${mark}` })
  await db.collection<Row>('audit').insertOne({ _id: mark })
  await db
    .collection('audit')
    .createIndex({ at: 1 }, { expireAfterSeconds: mark.length * 100 })
    .catch(() => db.command({ collMod: 'audit', index: { name: 'at_1', expireAfterSeconds: mark.length * 100 } }))
  await inTransaction(
    client,
    'auth',
    [1000, 2000].map((size) => ({ _id: id(`small ${size}`), text: 'x'.repeat(size) })),
  )
  const large = [7, 8, 9].map((megabytes) => ({
    _id: id(`large ${megabytes}`),
    text: 'x'.repeat(megabytes * 1_000_000),
  }))
  await inTransaction(client, 'pipe', large)
}

async function inTransaction(client: MongoClient, database: string, documents: Row[]): Promise<void> {
  const rows = client.db(database).collection<Row>('events')
  await client.withSession((session) =>
    session.withTransaction(async () => {
      for (const document of documents) await rows.insertOne(document, { session })
    }),
  )
}

/** A moment after all changes before and before all that follow, by the clock of the oplog: on a busy machine it is behind ours. */
async function quietMoment(client: MongoClient): Promise<Date> {
  const moment = await tick(client)
  await until(async () => (await tick(client)) > moment)
  return moment
}

/** Makes a change in no database of ours. @returns its time in the oplog */
async function tick(client: MongoClient): Promise<Date> {
  await client.db('ticks').collection('ticks').insertOne({})
  const oplog = client.db('local').collection<{ ns: string; wall: Date }>('oplog.rs')
  const [entry] = await oplog.find({ ns: 'ticks.ticks' }).sort({ $natural: -1 }).limit(1).toArray()
  if (entry === undefined) throw new Error('the change is not in the oplog')
  return entry.wall
}

/** Every document and index of every database of ours, in an order of its own. */
async function contentsOf(client: MongoClient): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const name of ['auth', 'care_circle', 'inbox', 'pipe', 'sandbox']) await addContents(client.db(name), found)
  return found
}

async function addContents(db: Db, found: Record<string, string[]>): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray()
  for (const { name } of collections.sort((a, b) => a.name.localeCompare(b.name))) {
    const documents = await db.collection(name).find({}, { promoteValues: false }).toArray()
    const indexes = await db.collection(name).indexes()
    found[`${db.databaseName}.${name}`] = [...documents, ...indexes]
      .map((each) => BSON.EJSON.stringify(each, { relaxed: false }))
      .sort()
  }
}
