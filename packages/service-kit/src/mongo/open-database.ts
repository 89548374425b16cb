import { setTimeout as sleep } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import { describeError, type Logger } from '../observability/logger.ts'
import { type Migration, migrate } from './migrate.ts'
import { connectMongo, createIndexes } from './mongo.ts'

const RETRY_MS = 100

type DatabaseOptions<Models> = {
  uri: string
  models(connection: Connection): Models
  migrations: readonly Migration[]
  logger: Logger
}

/** Connects a service's database, migrates it and creates its indexes. @throws ConfigError */
export async function openDatabase<Models>({ uri, models, migrations, logger }: DatabaseOptions<Models>) {
  const connection = await connectMongo(uri, logger)
  const opened = { connection, ...models(connection) }
  await retryUnreachable(async () => {
    await migrate(connection, migrations, logger)
    await createIndexes(connection)
  }, logger)
  return opened
}

/** A database that has just answered may be gone again: its first minute is when it elects a primary, and a network lets it in. */
export async function retryUnreachable(work: () => Promise<void>, logger: Logger): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error)) throw error
      logger.warn(describeError(error), 'MongoDB is not reachable again')
      await sleep(RETRY_MS)
    }
  }
}

function isUnreachable(error: unknown): boolean {
  const { MongoNetworkError, MongoServerSelectionError } = mongoose.mongo
  return error instanceof MongoNetworkError || error instanceof MongoServerSelectionError
}
