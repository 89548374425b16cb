import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findMongod } from '@family-inbox/local-stack/binaries/find-mongod'
import { freePort } from '@family-inbox/local-stack/free-port'
import { withUser } from '@family-inbox/local-stack/mongo-uri'
import { startMongod } from '@family-inbox/local-stack/mongod'
import { mongodAccess } from '@family-inbox/local-stack/mongod-users'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { generateX25519Identity } from 'age-encryption'
import test from 'ava'
import { MongoClient } from 'mongodb'
import { until } from '../_wait.ts'
import { type Storage, startStorage } from '../operations/_s3-storage.ts'
import { buildWithComponent, type Manifest, theOnly } from './_manifests.ts'
import { isAllowed } from './_network.ts'
import { layOutImage } from './_pods.ts'

/** The user that docs/operations.md describes. */
const READER = { name: 'backup', password: 'of the backup', database: 'admin' }
const DATABASES = ['auth', 'care_circle', 'inbox', 'pipe', 'sandbox']

type Settings = { name: string; value?: string }[]

test('the nightly job’s image and settings make a backup, and the drill restores it into its own MongoDB', async (t) => {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-backup-jobs-'))
  stack.defer(() => rm(dir, { recursive: true }))
  const built = await buildWithComponent('production', 'backup')
  const { dir: image } = stack.use(await layOutImage('all'))
  const binary = await mongodBinary()
  const source = stack.use(
    await startMongod({
      binary,
      dir: join(dir, 'mongod'),
      port: await freePort(),
      logFile: join(dir, 'mongod.log'),
      cacheSizeGb: 0.25,
      access: await mongodAccess(dir, [], ''),
    }),
  )
  await using client = await new MongoClient(source.uri).connect()
  await client
    .db('inbox')
    .collection('messages')
    .insertMany([{ text: 'Your lab results' }, { text: 'are ready' }])
  const roles = DATABASES.map((db) => ({ role: 'read', db }))
  await client.db('admin').command({ createUser: READER.name, pwd: READER.password, roles })
  await mkdir(join(dir, 'backup/secrets'), { recursive: true })
  await writeFile(join(dir, 'backup/MONGODB_URI'), withUser(source.uri, READER))
  await writeFile(join(dir, 'backup/secrets/backup-key.txt'), await generateX25519Identity())

  const nightly = podOf(theOnly(built, 'CronJob', 'backup'))
  await run(nightly.containers[0], { dir, image })
  const files = await readdir(join(dir, 'backups'))
  t.is(files.filter((name) => name.endsWith('.age')).length, 1)
  t.is((await statusIn(dir)).triedAt, undefined, 'its user of MongoDB may only read')

  const storage = stack.use(await startStorage(join(dir, 's3')))
  await writeBucketSecret(dir, storage)
  const withBucket = await buildWithComponent('production', 'backup-s3')
  const toBucket = podOf(theOnly(withBucket, 'CronJob', 'backup')).containers[0]
  t.deepEqual(toBucket.command, nightly.containers[0].command)
  await run(toBucket, { dir, image })
  const [made] = (await readdir(join(dir, 'backups'))).filter((name) => name.endsWith('Z.tar.gz.age'))
  t.deepEqual(await readdir(join(storage.files, 'home')), [made], 'in the bucket, too')

  const drill = podOf(theOnly(built, 'CronJob', 'restore-drill'))
  const port = await freePort()
  const data = join(dir, 'drill')
  await mkdir(data)
  const args = drill.initContainers[0].args.map((arg: string) => arg.replace('/data/db', data))
  const mongod = spawn(binary, [...args, '--port', `${port}`], { stdio: 'ignore' })
  const exited = once(mongod, 'exit')
  stack.defer(async () => {
    mongod.kill()
    await exited
  })
  const uri = `mongodb://127.0.0.1:${port}`
  await until(() => isAnswering(uri))
  const restore = {
    ...drill.containers[0],
    command: drill.containers[0].command.map((word: string) => word.replace('mongodb://127.0.0.1:27017', uri)),
  }
  await run(restore, { dir, image })
  t.is(typeof (await statusIn(dir)).triedAt, 'string')
  t.is((await readdir(join(dir, 'backups'))).length, files.length, 'what it unpacked is gone')

  await writeFile(join(dir, 'backup/secrets/backup-key.txt'), await generateX25519Identity())
  await t.throwsAsync(
    run(restore, { dir, image }),
    { message: /cannot be opened with this key/ },
    'a lost key is noticed',
  )
})

test('the backup’s network policies let it reach a storage in the cluster that an operator labels, and the drill reaches none', async (t) => {
  const built = await buildWithComponent('production', 'backup-s3')
  const pod = (name: string, labels: Record<string, string>, namespace = 'family-inbox') => ({
    name,
    namespace,
    labels,
  })
  const backup = pod('backup', { 'app.kubernetes.io/name': 'backup' })
  const drill = pod('restore-drill', { 'app.kubernetes.io/name': 'restore-drill' })
  const storage = pod('minio', { 'family-inbox/stores-backups': 'true' }, 'storage')
  t.true(isAllowed(built, backup, storage, 9000))
  t.false(isAllowed(built, backup, pod('other', {}, 'storage'), 9000))
  t.false(isAllowed(built, drill, storage, 9000))
  t.false(isAllowed(await buildWithComponent('production', 'backup'), backup, storage, 9000))
})

/** As docs/operations.md makes the Secret `backup-s3`, mounted. */
async function writeBucketSecret(dir: string, { settings }: Storage): Promise<void> {
  await mkdir(join(dir, 'backup-s3'))
  for (const [name, value] of Object.entries({ ...settings, BACKUP_S3_REGION: 'us-east-1' }))
    await writeFile(join(dir, 'backup-s3', name), value)
}

function podOf({ spec }: Manifest) {
  return spec.jobTemplate.spec.template.spec
}

/** Runs a container's command in its image, with its settings; folders are in `dir`. The test's MongoDB has no TLS. */
async function run(
  { command, env, workingDir }: { command: string[]; env: Settings; workingDir: string },
  { dir, image }: { dir: string; image: string },
) {
  const settings = env.flatMap(({ name, value }) =>
    value === undefined || name === 'MONGODB_TLS_DIR' ? [] : [[name, value.replace(/^(?:\/run)?(?=\/backup)/, dir)]],
  )
  await promisify(execFile)(process.execPath, command.slice(1), {
    cwd: workingDir.replace(/^\/app/, image),
    env: { ...Object.fromEntries(settings), NODE_ENV: 'production' },
  })
}

async function statusIn(dir: string): Promise<{ triedAt?: string }> {
  return JSON.parse(await readFile(join(dir, 'backups/status.json'), 'utf8'))
}

async function mongodBinary(): Promise<string> {
  const found = await findMongod({ env: { ...readEnvironment(), MONGODB_URI: undefined }, say: () => {} })
  if ('external' in found) throw new Error('a mongod of its own is needed')
  return found.path
}

async function isAnswering(uri: string): Promise<boolean> {
  try {
    await using client = await new MongoClient(uri, { serverSelectionTimeoutMS: 500 }).connect()
    return client.db('admin') !== undefined
  } catch {
    return false
  }
}
