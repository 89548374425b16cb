import { basename, dirname } from 'node:path'
import mongoose, { type Connection, type Model } from 'mongoose'
import { requireFiles } from '../config/config.ts'
import type { Logger } from '../observability/logger.ts'
import { traceCommands } from '../observability/mongo-commands.ts'
import { tracingInUse } from '../observability/tracing.ts'

const TIMEOUT_MS = 1500
const NO_SUCH_COLLECTION = 26

/**
 * Connects to a service's database and keeps trying until it is there. Acknowledged writes are on a majority and in its
 * journal (`w: majority, j: true`): an answered write survives a kill of any process. The driver's own defaults wait for
 * half a minute on a stopped server, so every wait is bounded here, and each handler races its deadline besides.
 * @throws ConfigError when the authority the URI names is not there
 */
export async function connectMongo(uri: string, logger: Logger): Promise<Connection> {
  const isTraced = tracingInUse() !== undefined
  requireAuthority(uri)
  for (;;) {
    const connection = mongoose.createConnection(uri, {
      serverSelectionTimeoutMS: TIMEOUT_MS,
      connectTimeoutMS: TIMEOUT_MS,
      socketTimeoutMS: 4 * TIMEOUT_MS,
      waitQueueTimeoutMS: TIMEOUT_MS,
      heartbeatFrequencyMS: 2000,
      maxPoolSize: 32,
      retryReads: false,
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true },
      autoIndex: false,
      bufferCommands: false,
      monitorCommands: isTraced,
    })
    try {
      await connection.asPromise()
      if (isTraced) traceCommands(connection.getClient())
      return connection
    } catch {
      logger.warn({}, 'mongodb is not reachable yet')
      await connection.destroy().catch(() => {})
    }
  }
}

/** Said at the start, since the driver would only be unable to connect. */
function requireAuthority(uri: string): void {
  const file = new URLSearchParams(uri.split('?')[1]).get('tlsCAFile')
  if (file !== null) requireFiles('MONGODB_TLS_DIR', dirname(file), [basename(file)])
}

/**
 * Makes the indexes a service's models declare, and brings those that let rows expire to the time declared now. A database
 * that has them already is left as it is. Resolves when all are there, however long MongoDB works on them.
 */
export async function createIndexes(connection: Connection): Promise<void> {
  const models = Object.values(connection.models)
  await Promise.all(
    models.map(async (model) => {
      await patiently(() => settleExpiry(connection, model))
      await patiently(() => model.createIndexes())
    }),
  )
}

/** The option of an index that lets a row expire so many days after the time it is made of. */
export function expiresAfter(days: number): { expireAfterSeconds: number } {
  return { expireAfterSeconds: days * 24 * 60 * 60 }
}

/** MongoDB refuses to make an index that is there with another time. It changes the time of the one there at once, reading no row. */
async function settleExpiry(connection: Connection, model: Model<unknown>): Promise<void> {
  const declared = model.schema.indexes().filter(([, options]) => options.expireAfterSeconds !== undefined)
  if (declared.length === 0) return
  for (const present of await presentIndexes(model)) {
    const [, options] = declared.find(([key]) => JSON.stringify(key) === JSON.stringify(present.key)) ?? []
    if (options === undefined || options.expireAfterSeconds === present.expireAfterSeconds) continue
    const index = { name: present.name, expireAfterSeconds: options.expireAfterSeconds }
    await connection.db?.command({ collMod: model.collection.collectionName, index })
  }
}

async function presentIndexes(model: Model<unknown>) {
  try {
    return await model.collection.indexes()
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_SUCH_COLLECTION) return []
    throw error
  }
}

/** How the driver ends a wait: for an answer, and for a connection on which to ask. */
const WAITED_TOO_LONG = ['MongoNetworkTimeoutError', 'MongoWaitQueueTimeoutError']

/**
 * On a large collection an index takes longer than any wait of the driver, and on a busy machine so do the first connections.
 * MongoDB goes on with an index when the one who asked has hung up, and whoever asks again waits for the same work.
 */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof Error && WAITED_TOO_LONG.includes(error.name))) throw error
    }
  }
}

/** Whether the primary answers within a second. */
export async function pingMongo(connection: Connection): Promise<boolean> {
  try {
    await connection.db?.command({ ping: 1 }, { signal: AbortSignal.timeout(1000) })
    return connection.db !== undefined
  } catch {
    return false
  }
}

/** Whether the error says that a unique index already holds the value (MongoDB error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11_000
}
