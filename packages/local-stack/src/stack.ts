import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnvironment } from '@family-inbox/service-kit/config/config'
import { borrowDatabases } from './borrow-databases.ts'
import { type Env, environmentToConfig } from './config.ts'
import { freePort } from './free-port.ts'
import { planStack } from './plan.ts'
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
  /** Default: 0.25. */
  readonly mongodCacheGb?: number
}

/** Runs the whole system for a test; resolves when it is ready. @throws with the end of the log when something does not start */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'family-inbox-')))
  const { services = everyService, dataDir: _kept, env: _env, processes: _processes, ...others } = options
  const setting = options.isReplicated ? 'seven' : readEnvironment().PROCESSES
  const processes = options.processes ?? setting ?? 'seven'
  const borrowed = needsOwnMongod(options) ? undefined : await borrowDatabases()
  const env = {
    ...(await testEnvironment()),
    ...borrowed?.env,
    ...options.env,
    PROCESSES: processes,
    DATA_DIR: dataDir,
  }
  const config = environmentToConfig(env)
  const plan = await planStack(config, { mongodCacheGb: 0.25, ...others, ...borrowed?.plan, services, say: () => {} })
  const stack = runStack(plan)
  const discard = async () => {
    await stack.crash()
    await Promise.all([rm(dataDir, { recursive: true, force: true }), borrowed?.giveBack()])
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

function needsOwnMongod({ ownMongod, isReplicated, dataDir, databasePrefix, env }: StackOptions): boolean {
  return ownMongod || isReplicated || dataDir !== undefined || databasePrefix !== undefined || !!env?.MONGODB_URI
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
