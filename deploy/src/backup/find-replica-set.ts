import { readStackFile } from '@family-inbox/local-stack/stack-file'
import { secureMongodbUri } from '@family-inbox/service-kit/config/base-config'
import { ConfigError, parseSettings, readEnvironment } from '@family-inbox/service-kit/config/config'
import { z } from 'zod'

const settings = z.object({
  MONGODB_URI: z.string().optional(),
  MONGODB_TLS_DIR: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
})

const NONE =
  'Which replica set? Set MONGODB_URI, for example mongodb://localhost:27017/?replicaSet=rs0, or run `npm start` with this DATA_DIR.'

/** The option, else the setting, else what `npm start` runs, as its operator. @throws ConfigError without any of them */
export async function findReplicaSet(option: string | undefined, env = readEnvironment()): Promise<string> {
  const { MONGODB_URI, MONGODB_TLS_DIR, DATA_DIR } = parseSettings(settings, env)
  const setting = MONGODB_URI && secureMongodbUri({ MONGODB_URI, ...(MONGODB_TLS_DIR && { MONGODB_TLS_DIR }) })
  const uri = option ?? setting ?? (await readStackFile(DATA_DIR))?.mongoUri
  if (uri === undefined) throw new ConfigError(NONE)
  return uri
}
