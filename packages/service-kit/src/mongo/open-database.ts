import type { Connection } from 'mongoose'
import type { Logger } from '../observability/logger.ts'
import { type Migration, migrate } from './migrate.ts'
import { connectMongo, createIndexes } from './mongo.ts'

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
  await migrate(connection, migrations, logger)
  await createIndexes(connection)
  return opened
}
