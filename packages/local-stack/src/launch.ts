import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findMongod } from './binaries/find-mongod.ts'
import { findNatsServer } from './binaries/find-nats-server.ts'
import type { Found } from './binaries/found.ts'
import type { Config, Env } from './config.ts'
import { superviseMongod } from './mongod.ts'
import { natsServerReady, natsServerUrl, superviseNatsServer } from './nats-server.ts'
import { EVERYTHING, NATS_RIGHTS, natsUsersConf } from './nats-users.ts'
import { mongodUri, replicaSetReady } from './replica-set.ts'
import {
  type ReplicaPorts,
  replicaName,
  replicaPorts,
  SERVICE_REPLICAS,
  STORE_SERVERS,
  type StorePort,
  storePorts,
} from './replicas.ts'
import { identityKeys, localSecret } from './secrets.ts'
import { ALL_SERVICES, serviceCommands } from './service-processes.ts'
import type { Service, Wiring } from './services.ts'
import { type Supervised, supervise, type Watcher } from './supervise.ts'

const FIRST_INSPECTOR_PORT = 9231

export type LaunchOptions = {
  readonly services: readonly Service[]
  readonly databasePrefix?: string
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
  readonly mongod: Found & { readonly ports: readonly StorePort[] }
  readonly natsServer: Found & { readonly ports: readonly StorePort[]; readonly routes: readonly StorePort[] }
  /** The ports of each replica. Those of the plan itself are the first's, or the balancers'. */
  readonly replicas: readonly ReplicaPorts[]
  readonly mongodCacheGb?: number
  readonly inspectorPorts: Readonly<Partial<Record<string, number>>>
}

export type Launched = { readonly processes: ReadonlyMap<string, Supervised>; readonly serversReady: Promise<unknown> }

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
  const reached = (ports: readonly StorePort[]) => ports.map(({ reachedAt }) => reachedAt)
  return {
    config,
    env,
    keys,
    secrets: await createSecrets(dataDir, options.services),
    replicas,
    ...first,
    ...(isReplicated && { httpPorts: (await replicaPorts(options.services, false)).httpPorts }),
    services: options.services,
    processes: config.processes,
    serviceEnv: options.serviceEnv ?? {},
    databasePrefix: options.databasePrefix ?? '',
    mongod: { ...mongod, ports: mongodPorts },
    mongoUri: 'external' in mongod ? mongod.external : mongodUri(reached(mongodPorts)),
    mongodCacheGb: options.mongodCacheGb,
    inspectorPorts: options.isDevelopment ? inspectorPorts(config, options.services) : {},
    natsServer: { ...natsServer, ports: natsPorts, routes: isReplicated ? await storePorts(servers, through) : [] },
    natsUnauthenticated: 'external' in natsServer,
    natsUrl: 'external' in natsServer ? natsServer.external : natsServerUrl(reached(natsPorts)),
  }
}

/** Fixed, so that a debugger's settings stay valid. */
function inspectorPorts({ processes }: Config, services: readonly Service[]): Record<string, number> {
  const names = processes === 'single' ? [ALL_SERVICES] : services.map(({ name }) => name)
  return Object.fromEntries(names.map((name, position) => [name, FIRST_INSPECTOR_PORT + position]))
}

async function createSecrets(dataDir: string, services: readonly Service[]): Promise<Record<string, string>> {
  const kinds = services.flatMap(({ secrets = {} }) => Object.entries(secrets))
  const made = kinds.map(async ([name, kind]) => [name, await localSecret(dataDir, name, kind)] as const)
  return Object.fromEntries(await Promise.all(made))
}

/** Starts everything at the same time; the services wait for what they need. */
export function launch(plan: Plan, watch: Watcher): Launched {
  const processes = new Map<string, Supervised>()
  const serversReady: Promise<void>[] = []
  if ('path' in plan.mongod) serversReady.push(launchMongods(plan, plan.mongod.path, processes, watch))
  if ('path' in plan.natsServer) serversReady.push(launchNatsServers(plan, plan.natsServer.path, processes, watch))
  for (const command of serviceCommands(plan)) processes.set(command.name, supervise(command, watch))
  return { processes, serversReady: Promise.all(serversReady) }
}

type Processes = Map<string, Supervised>

function launchMongods(plan: Plan, binary: string, processes: Processes, watch: Watcher): Promise<void> {
  const members = plan.mongod.ports.map(({ port, reachedAt }, nth) => {
    const name = replicaName('mongod', nth)
    const options = { ...pathsOf(plan, name), name, binary, port, watch, cacheSizeGb: plan.mongodCacheGb }
    const process = superviseMongod(options)
    processes.set(name, process)
    return { process, port, reachedAt }
  })
  return replicaSetReady(members)
}

async function launchNatsServers(plan: Plan, binary: string, processes: Processes, watch: Watcher): Promise<void> {
  const { ports, routes } = plan.natsServer
  const users = natsUsersConf(plan.keys.publicKeys.keys, { ...NATS_RIGHTS, ops: EVERYTHING })
  const ready = ports.map(({ port }, nth) => {
    const name = replicaName('nats-server', nth)
    const own = routes[nth]
    const others = routes.filter((route) => route !== own).map(({ reachedAt }) => reachedAt)
    const cluster = own && { port: own.port, routes: others }
    const process = superviseNatsServer({ ...pathsOf(plan, name), name, binary, port, users, cluster, watch })
    processes.set(name, process)
    return natsServerReady(process, port)
  })
  await Promise.all(ready)
}

export function pathsOf({ config }: Plan, name: string) {
  return { dir: join(config.dataDir, name), logFile: join(config.dataDir, 'logs', `${name}.log`) }
}
