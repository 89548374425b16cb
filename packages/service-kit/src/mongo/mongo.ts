import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mongoose, { type Connection, type Model } from 'mongoose'
import { requireFiles } from '../config/config.ts'
import type { Logger } from '../observability/logger.ts'
import { gauges } from '../observability/metrics.ts'
import { traceCommands } from '../observability/mongo-commands.ts'
import { exportReachability } from '../observability/store-metrics.ts'
import { activeTracing } from '../observability/tracing.ts'
import { DAY_SEC } from '../time/days.ts'

const TIMEOUT_MS = 1500
/** A server that is away takes its time; one that refuses a password answers at once. */
const RETRY_MS = 100
const NO_SUCH_COLLECTION = 26

/** Connects, retrying until available. Writes are durable (`w: majority, j: true`), and every wait is bounded. @throws ConfigError */
export async function connectMongo(uri: string, logger: Logger): Promise<Connection> {
  const isTraced = activeTracing() !== undefined
  requireAuthority(uri)
  exportReachability('mongodb', async () => false)
  for (;;) {
    const client = createClient(uri, isTraced)
    try {
      await client.connect()
      if (isTraced) traceCommands(client)
      const connection = mongoose.createConnection()
      Object.assign(connection.config, { autoIndex: false, autoCreate: false, bufferCommands: false })
      const connected = connection.setClient(client)
      exportReachability('mongodb', () => pingMongo(connected))
      return connected
    } catch {
      logger.warn({}, 'MongoDB is not reachable yet')
      await client.close().catch(() => {})
      await sleep(RETRY_MS)
    }
  }
}

/** Measured: the driver’s default, ten times a second, is most of what an idle service does. It has no public option for this. */
const POOL_CHECKS = { minPoolSizeCheckFrequencyMS: 5000 }

export function createClient(uri: string, isTraced: boolean): mongoose.mongo.MongoClient {
  const client = new mongoose.mongo.MongoClient(uri, {
    serverSelectionTimeoutMS: TIMEOUT_MS,
    connectTimeoutMS: TIMEOUT_MS,
    socketTimeoutMS: 4 * TIMEOUT_MS,
    waitQueueTimeoutMS: TIMEOUT_MS,
    // A server tells of its changes, and a broken connection shows without it.
    heartbeatFrequencyMS: 10_000,
    maxPoolSize: 32,
    retryReads: false,
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true },
    monitorCommands: isTraced,
  })
  client.setMaxListeners(0)
  Object.assign(client.options, POOL_CHECKS)
  return client
}

function requireAuthority(uri: string): void {
  const file = new URLSearchParams(uri.split('?')[1]).get('tlsCAFile')
  if (file !== null) requireFiles('MONGODB_TLS_DIR', dirname(file), [basename(file)])
}

/** Creates the indexes of a service's models and updates changed expiry times. Resolves when all exist, however long that takes. */
export async function createIndexes(connection: Connection): Promise<void> {
  const models = Object.values(connection.models)
  await Promise.all(
    models.map(async (model) => {
      await retryOnTimeout(() => updateExpiry(connection, model))
      await retryOnTimeout(() => createIndexesOf(model))
    }),
  )
}

/** All in one command: mongoose sends one for each index. */
async function createIndexesOf(model: Model<unknown>): Promise<void> {
  const indexes = model.schema.indexes().map(([key, options]) => ({ key, ...options }))
  if (indexes.length > 0) await model.collection.createIndexes(indexes as mongoose.mongo.IndexDescription[])
  else await model.createCollection()
}

export function expiresAfter(days: number): { expireAfterSeconds: number } {
  return { expireAfterSeconds: days * DAY_SEC }
}

/** MongoDB refuses to create an index that exists with another expiry time. `collMod` changes the time without reading documents. */
async function updateExpiry(connection: Connection, model: Model<unknown>): Promise<void> {
  const declared = model.schema.indexes().filter(([, options]) => options.expireAfterSeconds !== undefined)
  if (declared.length === 0) return
  for (const existing of await existingIndexes(model)) {
    const [, options] = declared.find(([key]) => JSON.stringify(key) === JSON.stringify(existing.key)) ?? []
    if (options === undefined || options.expireAfterSeconds === existing.expireAfterSeconds) continue
    const index = { name: existing.name, expireAfterSeconds: options.expireAfterSeconds }
    await connection.db?.command({ collMod: model.collection.collectionName, index })
  }
}

async function existingIndexes(model: Model<unknown>) {
  try {
    return await model.collection.indexes()
  } catch (error) {
    if ((error as { code?: unknown }).code === NO_SUCH_COLLECTION) return []
    throw error
  }
}

const TIMEOUT_ERRORS = ['MongoNetworkTimeoutError', 'MongoWaitQueueTimeoutError']

/** An index on a large collection outlasts every driver timeout. MongoDB keeps building it, and the next attempt waits for it. */
async function retryOnTimeout(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof Error && TIMEOUT_ERRORS.includes(error.name))) throw error
    }
  }
}

export async function pingMongo(connection: Connection): Promise<boolean> {
  try {
    await connection.db?.command({ ping: 1 }, { signal: AbortSignal.timeout(1000) })
    return connection.db !== undefined
  } catch {
    return false
  }
}

const watchFree = gauges({
  name: 'mongodb_disk_free_ratio',
  help: 'The free share of the disk under a database, on the server that accepts writes: 0 to 1.',
  label: 'database',
})

/** MongoDB tells of its disk, which may be on a machine that is not ours. */
export function exportDiskSpace(connection: Connection): void {
  watchFree(connection.name, async () => {
    const { fsUsedSize, fsTotalSize } = (await connection.db?.command({ dbStats: 1 })) ?? {}
    if (!(fsTotalSize > 0)) throw new Error('MongoDB does not say how large its disk is.')
    return 1 - fsUsedSize / fsTotalSize
  })
}

/** Whether a unique index already holds the value (MongoDB error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 11_000
}
