import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from 'mongoose'
import { ConfigError } from '../config/config.ts'
import { newId } from '../ids/ids.ts'
import type { Logger } from '../observability/logger.ts'
import { gauges } from '../observability/metrics.ts'

/** A step forward. Must be idempotent, since a crash repeats it, and readable for replicas of the previous version. */
export type Migration = (connection: Connection) => Promise<void>

type Schema = {
  _id: 'schema'
  version: number
  holder?: string
  until?: Date
}

export type LeaseTimes = { leaseMs: number; renewEveryMs: number }

const TIMES: LeaseTimes = { leaseMs: 15_000, renewEveryMs: 3000 }
const RETRY_MS = 100

const watchMissing = gauges({
  name: 'migrations_missing',
  help: 'Migrations that a database still needs before a service starts.',
  label: 'database',
})

/** Runs missing migrations in order, each once across all replicas. @throws ConfigError when the database is newer than this service */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[],
  logger: Logger,
  times = TIMES,
): Promise<void> {
  const schemas = schemasOf(connection)
  const holder = newId('mig')
  watchMissing(connection.name, async () => Math.max(0, migrations.length - (await versionOf(schemas))))
  for (;;) {
    const version = await versionOf(schemas)
    if (version > migrations.length) throw tooNew(version, migrations.length)
    if (version === migrations.length) return
    if (await takeLock(schemas, holder, times)) await migrateLocked(connection, migrations, { holder, logger, times })
    else await sleep(RETRY_MS)
  }
}

type Locked = { holder: string; logger: Logger; times: LeaseTimes }

async function migrateLocked(connection: Connection, migrations: readonly Migration[], locked: Locked): Promise<void> {
  const { holder, logger, times } = locked
  const schemas = schemasOf(connection)
  // A failed renewal needs no handling: the lock passes to another, and only its holder can raise the version.
  const renewal = setInterval(() => void renewLock(schemas, holder, times).catch(() => {}), times.renewEveryMs)
  renewal.unref()
  try {
    const begun = (await schemas.findOne({ _id: 'schema', holder }))?.version ?? migrations.length
    for (const [index, migration] of migrations.entries()) {
      if (index < begun) continue
      await migration(connection)
      const raised = await schemas.updateOne(
        { _id: 'schema', holder, version: index },
        { $set: { version: index + 1 } },
      )
      if (raised.matchedCount === 0) return
      logger.info({ version: index + 1 }, 'database migrated')
    }
  } finally {
    clearInterval(renewal)
    await schemas.updateOne({ _id: 'schema', holder }, { $unset: { holder: 1, until: 1 } }).catch(() => {})
  }
}

function schemasOf(connection: Connection) {
  return connection.collection<Schema>('schema')
}

async function versionOf(schemas: Schemas): Promise<number> {
  return (await schemas.findOne({ _id: 'schema' }))?.version ?? 0
}

type Schemas = ReturnType<typeof schemasOf>

async function takeLock(schemas: Schemas, holder: string, times: LeaseTimes): Promise<boolean> {
  await schemas.updateOne({ _id: 'schema' }, { $setOnInsert: { version: 0 } }, { upsert: true })
  const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] }
  const taken = await schemas.updateOne({ _id: 'schema', $expr: isFree }, lease(holder, times))
  return taken.matchedCount === 1
}

async function renewLock(schemas: Schemas, holder: string, times: LeaseTimes): Promise<void> {
  await schemas.updateOne({ _id: 'schema', holder }, lease(holder, times))
}

function lease(holder: string, { leaseMs }: LeaseTimes) {
  return [{ $set: { holder, until: { $add: ['$$NOW', leaseMs] } } }]
}

function tooNew(version: number, known: number): ConfigError {
  return new ConfigError(
    `MONGODB_URI leads to a database with schema version ${version}, but this service supports versions up to ${known}: start the newer service, or restore a backup from before the upgrade`,
  )
}
