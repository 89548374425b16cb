import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { type Env, environmentToConfig } from './config.ts'
import { freePort } from './free-port.ts'
import { dropUsers } from './mongod-users.ts'
import { type LaunchOptions, planStack } from './plan.ts'
import { runStack, type Stack } from './run-stack.ts'
import { services as everyService, type Processes, type Service, type ServiceName } from './services.ts'

export type StackOptions = {
  /** Settings as for `npm start`, over free test ports. Limits and mail servers of the developer's shell do not apply. */
  readonly env?: Env
  readonly serviceEnv?: Env
  readonly services?: readonly Service[]
  /** Two of each service, and three servers of each store. */
  readonly isReplicated?: boolean
  /** Puts a proxy in front of a store's port: returns the port at which others reach it. */
  readonly through?: (port: number) => Promise<number>
  readonly dataDir?: string
  /** Default: the setting PROCESSES, else seven. */
  readonly processes?: Processes
  /** Services to kill, pause or measure: they get processes of their own where the others share one. */
  readonly separate?: readonly ServiceName[]
  /** Prefix of database names, so that stacks can share the mongod of `MONGODB_URI`. */
  readonly databasePrefix?: string
  /** A mongod that no other stack uses: to kill, pause, fill or measure it, or to see everything in it. */
  readonly ownMongod?: boolean
}

/** Names the mongod that stacks share, each with databases of its own; `npm test` sets it. */
export const SHARED_MONGOD = 'SHARED_TEST_MONGOD'

/** Runs the whole system for a test; resolves when it is ready. @throws with the end of the log when something does not start */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'family-inbox-')))
  const { services = everyService, dataDir: _kept, env: _env, processes: _processes, ...others } = options
  const setting = options.isReplicated ? 'seven' : readEnvironment().PROCESSES
  const processes = options.processes ?? setting ?? 'seven'
  const shared = sharedMongod(options)
  const env = { ...(await testEnvironment()), ...shared.env, ...options.env, PROCESSES: processes, DATA_DIR: dataDir }
  const config = environmentToConfig(env)
  const plan = await planStack(config, { ...others, ...shared.plan, services, mongodCacheGb: 0.25, say: () => {} })
  const stack = runStack(plan)
  const discard = async () => {
    await stack.crash()
    await Promise.all([rm(dataDir, { recursive: true, force: true }), shared.clear()])
  }
  const dispose = options.dataDir ? stack.stop : discard
  try {
    await stack.waitReady()
  } catch (error) {
    await dispose()
    throw error
  }
  return { ...stack, stop: dispose, [Symbol.asyncDispose]: dispose }
}

type Shared = { env: Env; plan: Pick<LaunchOptions, 'databasePrefix' | 'hasUsersElsewhere'>; clear(): Promise<void> }

function sharedMongod({ ownMongod, isReplicated, dataDir, databasePrefix, env }: StackOptions): Shared {
  const uri = readEnvironment()[SHARED_MONGOD]
  const isOwn = ownMongod || isReplicated || dataDir !== undefined || databasePrefix !== undefined || env?.MONGODB_URI
  if (uri === undefined || isOwn) return { env: {}, plan: {}, clear: async () => {} }
  const prefix = `${randomText(8)}_`
  return {
    env: { MONGODB_URI: uri },
    plan: { databasePrefix: prefix, hasUsersElsewhere: true },
    clear: () => dropDatabases(uri, prefix),
  }
}

async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const { MongoClient } = await import('mongodb')
  await using client = await MongoClient.connect(uri)
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
  const ours = databases.filter(({ name }) => name.startsWith(prefix))
  await Promise.all(ours.map(({ name }) => client.db(name).dropDatabase()))
  await dropUsers(client, new RegExp(`^${prefix}`))
}

async function testEnvironment(): Promise<Env> {
  const unset = everyService.flatMap(({ settings }) => settings).map((name) => [name, undefined])
  return {
    ...readEnvironment(),
    ...Object.fromEntries(unset),
    BASE_URL: `http://localhost:${await freePort()}`,
    API_URL: `http://localhost:${await freePort()}`,
    INBOX_URL: `http://localhost:${await freePort()}`,
    SMTP_PORT: `${await freePort()}`,
  }
}
