import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { S3Client } from '@bradenmacdonald/s3-lite-client'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { type RunningMongod, startMongod } from '@family-inbox/local-stack/mongod'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import test, { type ExecutionContext } from 'ava'
import { Binary, type Collection, MongoClient } from 'mongodb'
import { canMount, mountSmallDisk } from '../promises/_small-disk.ts'
import { type Storage, settingsAt, startStorage } from './_s3-storage.ts'

const KEYS = 'workspace-keys.tar.gz.age'
/** Two parts of an upload. It does not compress. */
const MAIL_BYTES = 12_000_000

test.serial(
  'each backup is copied into a bucket, and a new server is rebuilt from there without the key of a deleted family',
  async (t) => {
    await using home = await startHome(t)
    await using storage = await startStorage(home.folder('s3'))
    await home.nightly(storage.settings)
    const [first = ''] = await backupsIn(storage)
    t.true(
      (await readFile(join(storage.files, 'home', first))).equals(await readFile(home.folder('data/backups', first))),
    )
    const listed = (await home.backup(['list'], storage.settings)).stdout
    t.regex(listed, new RegExp(`^s3://backups/home/${first} {2}12\\.\\d MB\n$`))

    await home.rows('workspace_keys').deleteOne({ _id: 'the Almeida family' })
    await home.rows('removed_workspaces').insertOne({ _id: 'the Almeida family' })
    await home.nightly(storage.settings)
    t.is((await backupsIn(storage)).length, 1, 'the last one of the day, as in the folder')

    const key = home.folder('key.txt')
    await writeFile(key, (await home.backup(['key'])).stdout)
    const [newest] = await backupsIn(storage)
    const rebuild = ['rebuild', `s3://backups/home/${newest}`, '--key-file', key]
    await home.backup(rebuild, { ...storage.settings, DATA_DIR: home.folder('rebuilt') })
    await using rebuilt = await startMongodIn(home.folder('rebuilt'))
    await using client = await new MongoClient(rebuilt.uri).connect()
    const mails = await client
      .db('inbox')
      .collection('messages')
      .find({}, { promoteBuffers: true })
      .sort({ _id: 1 })
      .toArray()
    t.true(Buffer.concat(mails.map(({ raw }) => raw)).equals(home.mail))
    const keys = await client.db('inbox').collection<{ _id: string }>('workspace_keys').find().toArray()
    t.deepEqual(keys, [{ _id: 'the Berg family' }])
    const missing = [
      'open',
      `s3://backups/home/2026-01-01T033000Z.tar.gz.age`,
      home.folder('opened'),
      '--key-file',
      key,
    ]
    await t.throwsAsync(home.backup(missing, storage.settings), { message: /is not there\. List what is/ })
  },
)

test.serial(
  'backups in a bucket are kept as long as those in the folder, and other files there are left alone',
  async (t) => {
    await using home = await startHome(t, 1000)
    await using storage = await startStorage(home.folder('s3'))
    await mkdir(join(storage.files, 'home'))
    const old = Array.from({ length: 9 }, (_, day) => `2024-03-0${day + 1}T033000Z.tar.gz.age`)
    for (const name of [...old, 'notes.txt']) await writeFile(join(storage.files, 'home', name), 'from before')
    await home.nightly(storage.settings)
    const left = await readdir(join(storage.files, 'home'))
    t.true(left.includes('notes.txt'))
    const kept = left.filter((name) => name.startsWith('2024'))
    t.deepEqual(kept, old.slice(2), 'six of the newest days, and the last of a week')
  },
)

test.serial(
  'a wrong key, a missing bucket and a wrong address are named, without the key, and the backup is still made here',
  async (t) => {
    await using home = await startHome(t, 1000)
    await using storage = await startStorage(home.folder('s3'))
    const secret = 'a secret that nobody may see'
    const wrong: [Record<string, string>, RegExp][] = [
      [{ BACKUP_S3_SECRET_KEY: secret }, /refused the access key.*SignatureDoesNotMatch.*Check BACKUP_S3_ACCESS_KEY/],
      [{ BACKUP_S3_ACCESS_KEY: 'nobody' }, /refused the access key.*Check BACKUP_S3_ACCESS_KEY/],
      [{ BACKUP_S3_BUCKET: 'nowhere' }, /has no bucket.*check BACKUP_S3_BUCKET/],
      [settingsAt(await freePort()), /The connection to http:.* failed \(ECONNREFUSED\)/],
    ]
    for (const [settings, says] of wrong) {
      const error = await t.throwsAsync<ExecError>(home.nightly({ ...storage.settings, ...settings }), {
        message: says,
      })
      t.false(`${error?.message}${error?.stderr}${error?.stdout}`.includes(secret))
      const { madeAt, failure, bucketFailure } = await home.status()
      t.deepEqual([typeof madeAt, failure], ['string', undefined])
      t.regex(bucketFailure ?? '', says, 'which the doctor says')
    }
    const { BACKUP_S3_ACCESS_KEY: _none, ...keyless } = storage.settings
    await t.throwsAsync(home.nightly(keyless), { message: /BACKUP_S3_ACCESS_KEY is missing/ })
    await home.nightly(storage.settings)
    t.is((await home.status()).bucketFailure, undefined)
  },
)

test.serial(
  'a connection that is cut leaves nothing half in the bucket, and the next backup clears up after it',
  async (t) => {
    await using home = await startHome(t)
    await using storage = await startStorage(home.folder('s3'))
    await using cut = await startCuttingProxy(storage.port, MAIL_BYTES / 2)
    await t.throwsAsync(home.nightly({ ...storage.settings, ...settingsAt(cut.port) }), {
      message: /The connection to http:.* failed \((?:ECONNRESET|UND_ERR_SOCKET)\)/,
    })
    t.deepEqual(await backupsIn(storage), [])
    t.deepEqual((await home.backup(['list'], storage.settings)).stdout, '')
    t.is(await unfinishedUploadsIn(storage), 1, 'which nobody lists')
    await home.nightly(storage.settings)
    t.is((await backupsIn(storage)).length, 1)
    t.is(await unfinishedUploadsIn(storage), 0)
  },
)

test.serial('a full bucket is named, and keeps the backups and keys that it has', async (t) => {
  if (!(await canMount())) return t.pass('needs a user who may mount file systems')
  await using home = await startHome(t)
  await using disk = await mountSmallDisk(home.folder('s3'), 120)
  await using storage = await startStorage(home.folder('s3'))
  await home.nightly(storage.settings)
  const [first = ''] = await backupsIn(storage)
  const before = await readFile(join(storage.files, 'home', first))
  await disk.fill()
  await t.throwsAsync(home.nightly(storage.settings), { message: /s3:\/\/backups\/home\/.* is full/ })
  t.deepEqual(await backupsIn(storage), [first])
  t.true(before.equals(await readFile(join(storage.files, 'home', first))))
  await disk.free()
  await t.notThrowsAsync(home.nightly(storage.settings))
})

test.serial('a new server does not replace the keys in the bucket of another one', async (t) => {
  await using home = await startHome(t, 1000)
  await using storage = await startStorage(home.folder('s3'))
  await home.nightly(storage.settings)
  const keys = await readFile(join(storage.files, 'home', KEYS))
  const elsewhere = { ...storage.settings, DATA_DIR: home.folder('other') }
  await t.throwsAsync(home.nightly(elsewhere), { message: /s3:\/\/backups\/home\/.*cannot be opened with this key/ })
  await home.rows('workspace_keys').deleteMany({})
  await home.rows('workspace_keys').insertOne({ _id: 'the Costa family' })
  await rm(home.folder('data/backups'), { recursive: true })
  await t.throwsAsync(home.nightly(storage.settings), { message: /another installation.*Set BACKUP_S3_BUCKET/ })
  t.true(keys.equals(await readFile(join(storage.files, 'home', KEYS))))
})

test.serial('a bucket that keeps versions is reported, because it keeps the keys of deleted families', async (t) => {
  await using home = await startHome(t, 1000)
  await using storage = await startStorage(home.folder('s3'), home.folder('versions'))
  await home.nightly(storage.settings)
  t.is((await home.status()).bucketKeepsVersions, undefined)
  await keepVersions(storage)
  await home.nightly(storage.settings)
  t.true((await home.status()).bucketKeepsVersions)
})

type ExecError = Error & { stdout: string; stderr: string }
type Status = { madeAt?: string; failure?: string; bucketFailure?: string; bucketKeepsVersions?: boolean }

/** A database with a mail of random bytes and the keys of two families. */
async function startHome(t: ExecutionContext, mailBytes = MAIL_BYTES) {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-bucket-'))
  const folder = (...names: string[]) => join(dir, ...names)
  const mongod = await startMongodIn(folder('mongo'))
  const client = await new MongoClient(mongod.uri).connect()
  const rows = (name: string) => client.db('inbox').collection<{ _id: string; raw?: Binary }>(name)
  const mail = randomBytes(mailBytes)
  await insertMail(rows('messages'), mail)
  await rows('workspace_keys').insertMany([{ _id: 'the Almeida family' }, { _id: 'the Berg family' }])
  const backup = (args: string[], settings: Record<string, string> = {}) => {
    const main = join(REPOSITORY, 'deploy/src/backup.ts')
    const env = { ...process.env, DATA_DIR: folder('data'), MONGODB_URI: mongod.uri, ...settings }
    return promisify(execFile)(process.execPath, [main, ...args], { timeout: 180_000, env })
  }
  return {
    folder,
    rows,
    mail,
    backup,
    nightly: (settings: Record<string, string>) => backup(['nightly', '--no-try'], settings),
    status: async (): Promise<Status> => JSON.parse(await readFile(folder('data/backups/status.json'), 'utf8')),
    async [Symbol.asyncDispose]() {
      await client.close()
      await mongod[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true }).catch((error) => t.log(error.message))
    },
  }
}

/** In several documents, because one has at most 16 MB; the first is named `a mail`. */
async function insertMail(messages: Collection<{ _id: string; raw?: Binary }>, mail: Buffer): Promise<void> {
  const half = mail.length / 2
  await messages.insertMany([
    { _id: 'a mail', raw: new Binary(mail.subarray(0, half)) },
    { _id: 'another mail', raw: new Binary(mail.subarray(half)) },
  ])
}

async function startMongodIn(dataDir: string): Promise<RunningMongod> {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  const dir = join(dataDir, 'mongod')
  return startMongod({ binary: found.path, dir, port: await freePort(), logFile: `${dir}.log`, cacheSizeGb: 0.25 })
}

async function backupsIn({ files }: Storage): Promise<string[]> {
  const names = await readdir(join(files, 'home')).catch(() => [])
  return names.filter((name) => name.endsWith('.age') && name !== KEYS).sort()
}

/** Passes on that many bytes in all, and cuts every connection from then on. */
async function startCuttingProxy(port: number, bytes: number): Promise<AsyncDisposable & { port: number }> {
  let left = bytes
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1')
    const cut = () => [from, to].forEach((socket) => void socket.resetAndDestroy())
    for (const socket of [from, to]) socket.on('error', cut).on('close', cut)
    if (left <= 0) return cut()
    to.pipe(from)
    from.on('data', (chunk) => {
      left -= chunk.length
      if (left > 0) to.write(chunk)
      else cut()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

async function unfinishedUploadsIn(storage: Storage): Promise<number> {
  const query = { prefix: 'home/', uploads: '' }
  const answer = await clientOf(storage).makeRequest({ method: 'GET', objectName: '', query, returnBody: true })
  return (await answer.text()).split('<Upload>').length - 1
}

async function keepVersions(storage: Storage): Promise<void> {
  const payload = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  await clientOf(storage).makeRequest({ method: 'PUT', objectName: '', query: { versioning: '' }, payload })
}

function clientOf({ settings }: Storage): S3Client {
  const { BACKUP_S3_ENDPOINT: endPoint = '', BACKUP_S3_ACCESS_KEY = '', BACKUP_S3_SECRET_KEY = '' } = settings
  const keys = { accessKey: BACKUP_S3_ACCESS_KEY, secretKey: BACKUP_S3_SECRET_KEY }
  return new S3Client({ endPoint, region: 'us-east-1', bucket: 'backups', ...keys })
}
