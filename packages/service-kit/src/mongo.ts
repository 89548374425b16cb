import mongoose, { type Connection } from 'mongoose'
import type { Logger } from './logger.ts'

const TIMEOUT_MS = 1500

/**
 * Connects to a service's database and keeps trying until it is there. Acknowledged writes are on a majority and in its
 * journal (`w: majority, j: true`): an answered write survives a kill of any process. The driver's own defaults wait for
 * half a minute on a stopped server, so every wait is bounded here, and each handler races its deadline besides.
 */
export async function connectMongo(uri: string, logger: Logger): Promise<Connection> {
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
    })
    try {
      return await connection.asPromise()
    } catch {
      logger.warn({}, 'mongodb is not reachable yet')
      await connection.destroy().catch(() => {})
    }
  }
}

/** Makes the indexes a service's models declare. A database that already has them is left as it is. */
export async function createIndexes(connection: Connection): Promise<void> {
  await Promise.all(Object.values(connection.models).map((model) => model.createIndexes()))
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
