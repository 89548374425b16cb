import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@family-inbox/local-stack/free-port'
import { REPOSITORY } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { BSON, type Collection, MongoClient } from 'mongodb'
import { readDocuments } from '../../deploy/src/backup/read-documents.ts'
import { migrations } from '../../services/inbox/src/migrations/index.ts'
import { startMailSink } from '../_mail-sink.ts'
import { type PublicStart, startInPublic } from './_start-in-public.ts'

export type Household = AsyncDisposable & {
  dir: string
  dataDir: string
  start(env?: Record<string, string>): Promise<PublicStart>
}

/** The schema version of inbox. */
export const NEWEST: number = migrations.length

/** A household's own server, which ran once. */
export async function startHousehold(): Promise<Household> {
  const dir = await mkdtemp(join(tmpdir(), 'family-inbox-update-'))
  const sink = await startMailSink()
  const dataDir = join(dir, 'data')
  const port = await freePort()
  const household: Household = {
    dir,
    dataDir,
    start: (env = {}) => startInPublic({ dataDir, port, smtpUrl: sink.url, env }),
    async [Symbol.asyncDispose]() {
      await sink[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
  await run(household)
  return household
}

/** Starts until it is ready, and stops. */
export async function run({ start }: Household, env?: Record<string, string>): Promise<string> {
  await using started = await start(env)
  return await started.untilReady()
}

/** As a version left it that had one migration less; a version before this feature leaves no file. */
export function makeOlder(world: Household): Promise<void> {
  return setVersion(world, NEWEST - 1)
}

export async function setVersion(world: Household, version: number): Promise<void> {
  await rm(join(world.dataDir, 'schema-versions.json'), { force: true })
  await inSchema(world, (schema) => schema.updateOne({ _id: 'schema' }, { $set: { version } }))
}

export async function schemaVersion(world: Household): Promise<number | undefined> {
  return inSchema(world, async (schema) => (await schema.findOne({ _id: 'schema' }))?.version)
}

type Schema = { _id: string; version: number }

async function inSchema<T>({ dataDir }: Household, work: (schema: Collection<Schema>) => Promise<T>) {
  await using stack = await startStack({ services: [], dataDir })
  await using client = await MongoClient.connect(stack.mongoUri)
  return await work(client.db('inbox').collection<Schema>('schema'))
}

/** The schema version of the inbox in an encrypted backup. */
export async function versionIn(world: Household, file: string): Promise<number> {
  const opened = await mkdtemp(join(world.dir, 'opened-'))
  await backup(world, 'open', file, opened, '--key-file', join(world.dataDir, 'secrets/backup-key.txt'))
  for await (const document of readDocuments(join(opened, 'inbox/schema.bson'))) {
    const row = BSON.deserialize(document)
    if (row._id === 'schema') return row.version
  }
  throw new Error('the backup has no schema version')
}

export async function statusOf({ dataDir }: Household) {
  return readFile(join(dataDir, 'backups/status.json'), 'utf8').then(JSON.parse, () => ({}))
}

export async function backupsIn({ dataDir }: Household): Promise<string[]> {
  return (await readdir(join(dataDir, 'backups'))).filter((name) => /^\d.*\.age$/.test(name)).sort()
}

export function backup({ dataDir }: Household, ...args: string[]) {
  const env = { ...process.env, DATA_DIR: dataDir }
  return promisify(execFile)(process.execPath, [join(REPOSITORY, 'deploy/src/backup.ts'), ...args], { env })
}
