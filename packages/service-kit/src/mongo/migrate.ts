import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from 'mongoose'
import { ConfigError } from '../config/config.ts'
import { newId } from '../ids/ids.ts'
import type { Logger } from '../observability/logger.ts'

/**
 * One step forward. Replicas of the version before serve meanwhile, so what it writes they must be able to read. It is run
 * again from its beginning when its process dies, so doing it twice must be doing it once.
 */
export type Migration = (connection: Connection) => Promise<void>

type Schema = {
  _id: 'schema'
  /** How many migrations the database has behind it. */
  version: number
  /** Who migrates, until when unless it is heard of again; by the database's own clock. */
  holder?: string
  until?: Date
}

/** How long a holder that is not heard of keeps the lock, and how often it says that it lives. */
export type LeaseTimes = { leaseMs: number; renewEveryMs: number }

const TIMES: LeaseTimes = { leaseMs: 15_000, renewEveryMs: 3000 }
const LOOK_AGAIN_MS = 100

/**
 * Brings a database to the schema its service was written for: runs the migrations it has not had, in order and each once,
 * however many replicas start together. One migrates, the others wait for it; when it dies, another takes over. A database
 * that is up to date costs one read. Indexes are not made here: `createIndexes` does that at every start, after this.
 * @param migrations all there have ever been, oldest first: the database's version is how many of them it has had
 * @throws ConfigError when the database has had more of them than there are here
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[],
  logger: Logger,
  times = TIMES,
): Promise<void> {
  const schemas = schemasOf(connection)
  const holder = newId('mig')
  for (;;) {
    const version = (await schemas.findOne({ _id: 'schema' }))?.version ?? 0
    if (version > migrations.length) throw tooNew(version, migrations.length)
    if (version === migrations.length) return
    if (await takeLock(schemas, holder, times)) await migrateLocked(connection, migrations, { holder, logger, times })
    else await sleep(LOOK_AGAIN_MS)
  }
}

type Locked = { holder: string; logger: Logger; times: LeaseTimes }

async function migrateLocked(connection: Connection, migrations: readonly Migration[], locked: Locked): Promise<void> {
  const { holder, logger, times } = locked
  const schemas = schemasOf(connection)
  // A renewal that fails needs no answer: the lock passes on, and the version is only raised by who holds it.
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
      logger.info({ version: index + 1 }, 'the database was migrated')
    }
  } finally {
    clearInterval(renewal)
    await schemas.updateOne({ _id: 'schema', holder }, { $unset: { holder: 1, until: 1 } }).catch(() => {})
  }
}

function schemasOf(connection: Connection) {
  return connection.collection<Schema>('schema')
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
    `MONGODB_URI leads to a database with schema version ${version}, and this service knows versions up to ${known}: start the newer service, or restore a backup from before it`,
  )
}
