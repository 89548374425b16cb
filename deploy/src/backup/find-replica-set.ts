import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mongodAccess } from '@family-inbox/local-stack/mongod-users'
import { services } from '@family-inbox/local-stack/services'
import { readStackFile } from '@family-inbox/local-stack/stack-file'
import { secureMongodbUri } from '@family-inbox/service-kit/config/base-config'
import { ConfigError, parseSettings, readEnvironment } from '@family-inbox/service-kit/config/config'
import { z } from 'zod'
import { startMongodOf } from './data-dir.ts'

const settings = z.object({
  MONGODB_URI: z.string().optional(),
  MONGODB_TLS_DIR: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
})

const NONE =
  'Which replica set? Set MONGODB_URI, for example mongodb://localhost:27017/?replicaSet=rs0, or run `npm start` with this DATA_DIR.'

/** The option, else the setting, else what `npm start` runs, as its operator. @throws ConfigError without any of them */
export async function findReplicaSet(option: string | undefined, env = readEnvironment()): Promise<string> {
  const uri = await namedReplicaSet(option, env)
  if (uri === undefined) throw new ConfigError(NONE)
  return uri
}

/** The same without an option; of a stopped `npm start` its mongod runs until this is disposed. */
export async function openReplicaSet(dataDir: string): Promise<AsyncDisposable & { uri: string }> {
  const uri = await namedReplicaSet(undefined)
  if (uri === undefined && existsSync(join(dataDir, 'mongod')))
    return startMongodOf(dataDir, await mongodAccess(dataDir, services, ''))
  return { uri: await findReplicaSet(uri), async [Symbol.asyncDispose]() {} }
}

async function namedReplicaSet(option: string | undefined, env = readEnvironment()): Promise<string | undefined> {
  const { MONGODB_URI, MONGODB_TLS_DIR, DATA_DIR } = parseSettings(settings, env)
  const setting = MONGODB_URI && secureMongodbUri({ MONGODB_URI, ...(MONGODB_TLS_DIR && { MONGODB_TLS_DIR }) })
  return option ?? setting ?? (await readStackFile(DATA_DIR))?.mongoUri
}
