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
import { buildWithComponent, type Manifest, theOnly } from './_manifests.ts'
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
  t.deepEqual((await readdir(join(dir, 'backups'))).sort(), files.sort(), 'what it unpacked is gone')

  await writeFile(join(dir, 'backup/secrets/backup-key.txt'), await generateX25519Identity())
  await t.throwsAsync(
    run(restore, { dir, image }),
    { message: /cannot be opened with this key/ },
    'a lost key is noticed',
  )
})

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
