import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { givenSetting } from '@family-inbox/service-kit/config/config'
import { findMongod } from './binaries/find-mongod.ts'
import { findNatsServer } from './binaries/find-nats-server.ts'
import type { Found } from './binaries/found.ts'
import type { Config, Env } from './config.ts'
import { freePort } from './free-port.ts'
import { databaseUri, withUser } from './mongo-uri.ts'
import { type MongodAccess, mongodAccess } from './mongod-users.ts'
import { natsServerUrl } from './nats-server.ts'
import { mongodUri } from './replica-set.ts'
import {
  type ReplicaPorts,
  replicaPorts,
  SERVICE_REPLICAS,
  STORE_SERVERS,
  type StorePort,
  storePorts,
} from './replicas.ts'
import { identityKeys, localSecret } from './secrets.ts'
import { newDoctorKey } from './serve-doctor.ts'
import type { Service, ServiceName, Wiring } from './services.ts'
import { ALL_SERVICES } from './stack-file.ts'

const FIRST_INSPECTOR_PORT = 9231

export type LaunchOptions = {
  readonly services: readonly Service[]
  readonly databasePrefix?: string
  /** Its services have users of their own in the mongod of `MONGODB_URI`, too, which leads to an operator. */
  readonly hasUsersElsewhere?: boolean
  /** These services get their own process even with `single`. */
  readonly separate?: readonly ServiceName[]
  /** Added to every service's environment, last. */
  readonly serviceEnv?: Env
  readonly mongodCacheGb?: number
  /** Whether services restart on source changes and open an inspector (`npm run dev`). */
  readonly isDevelopment?: boolean
  /** Two of each service, and three servers of each store. */
  readonly isReplicated?: boolean
  /** Tests can put a proxy in front of a store's port: returns the port at which others reach it. */
  readonly through?: (port: number) => Promise<number>
  readonly say: (line: string) => void
}

export type Plan = Wiring & {
  readonly config: Config
  readonly services: readonly Service[]
  readonly serviceEnv: Env
  /** Leads to every database. */
  readonly mongoUri: string
  /** The users of our own mongod; a server elsewhere has those its owner gave it. */
  readonly access?: MongodAccess
  readonly mongod: Found & { readonly ports: readonly StorePort[] }
  readonly natsServer: Found & { readonly ports: readonly StorePort[]; readonly routes: readonly StorePort[] }
  /** The ports of each replica. Those of the plan itself are the first's, or the balancers'. */
  readonly replicas: readonly ReplicaPorts[]
  readonly mongodCacheGb?: number
  readonly inspectorPorts: Readonly<Partial<Record<string, number>>>
}

/** Finds the binaries, keys and ports. Starts nothing. */
export async function planStack(config: Config, options: LaunchOptions): Promise<Plan> {
  const { env, dataDir } = config
  await mkdir(join(dataDir, 'logs'), { recursive: true })
  const [mongod, natsServer, keys] = await Promise.all([
    findMongod({ env, say: options.say }),
    findNatsServer({ env, say: options.say }),
    identityKeys(dataDir),
  ])
  const { isReplicated = false, through = async (port: number) => port } = options
  const servers = isReplicated ? STORE_SERVERS : 1
  const mongodPorts = await storePorts(servers, through)
  const natsPorts = await storePorts(servers, through)
  const first = await replicaPorts(options.services, isReplicated)
  const others = isReplicated ? SERVICE_REPLICAS - 1 : 0
  const replicas = [first]
  while (replicas.length <= others) replicas.push(await replicaPorts(options.services, isReplicated))
  const { databasePrefix = '' } = options
  const hasUsers = 'path' in mongod || options.hasUsersElsewhere
  const access = hasUsers ? await mongodAccess(dataDir, options.services, databasePrefix) : undefined
  const reached = (ports: readonly StorePort[]) => ports.map(({ reachedAt }) => reachedAt)
  const ownUri = mongodUri(reached(mongodPorts))
  const mongoUri = 'external' in mongod ? mongod.external : access ? withUser(ownUri, access.operator) : ownUri
  return {
    config,
    env,
    keys,
    secrets: await findSecrets(dataDir, options.services, env),
    replicas,
    ...first,
    ...(isReplicated && { httpPorts: (await replicaPorts(options.services, false)).httpPorts }),
    services: options.services,
    processes: config.processes,
    separate: options.separate,
    serviceEnv: options.serviceEnv ?? {},
    access,
    mongod: { ...mongod, ports: mongodPorts },
    mongoUri,
    databaseUris: databaseUris(mongoUri, options, access),
    mongodCacheGb: options.mongodCacheGb,
    ...(config.hasOperatorPage && { doctor: { port: await freePort(), key: newDoctorKey() } }),
    inspectorPorts: options.isDevelopment ? inspectorPorts(config, options.services) : {},
    natsServer: { ...natsServer, ports: natsPorts, routes: isReplicated ? await storePorts(servers, through) : [] },
    natsUnauthenticated: 'external' in natsServer,
    natsUrl: 'external' in natsServer ? natsServer.external : natsServerUrl(reached(natsPorts)),
  }
}

/** As the user of each service; where it has none of its own, as whoever the URI names. */
function databaseUris(
  mongoUri: string,
  { services, databasePrefix = '' }: LaunchOptions,
  access?: MongodAccess,
): Wiring['databaseUris'] {
  const uris = services.flatMap(({ name, database }) => {
    if (database === undefined) return []
    const user = access?.services[name]
    return [[name, user ? withUser(mongoUri, user) : databaseUri(mongoUri, databasePrefix + database)]]
  })
  return Object.fromEntries(uris)
}

/** Fixed, so that a debugger's settings stay valid. */
function inspectorPorts({ processes }: Config, services: readonly Service[]): Record<string, number> {
  const names = processes === 'single' ? [ALL_SERVICES] : services.map(({ name }) => name)
  return Object.fromEntries(names.map((name, position) => [name, FIRST_INSPECTOR_PORT + position]))
}

/** As they were set, else of this folder. */
async function findSecrets(dataDir: string, services: readonly Service[], env: Env): Promise<Record<string, string>> {
  const kinds = services.flatMap(({ secrets = {} }) => Object.entries(secrets))
  const found = kinds.map(async ([name, kind]) => {
    const given = givenSetting(name, env)
    return [name, given ?? (await localSecret(dataDir, name, kind))] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

export function pathsOf({ config }: Plan, name: string) {
  return { dir: join(config.dataDir, name), logFile: join(config.dataDir, 'logs', `${name}.log`) }
}
