import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findMongod } from './binaries/find-mongod.ts'
import { findNatsServer } from './binaries/find-nats-server.ts'
import type { Found } from './binaries/found.ts'
import type { Config, Env } from './config.ts'
import { freePort } from './free-port.ts'
import { mongodUri } from './mongod.ts'
import { natsServerUrl } from './nats-server.ts'
import { identityKeys, localSecret } from './secrets.ts'
import { ALL_SERVICES, type Service, type ServiceName, type Wiring } from './services.ts'

const FIRST_INSPECTOR_PORT = 9231

export type LaunchOptions = {
  readonly services: readonly Service[]
  readonly databasePrefix?: string
  /** Added to every service's environment, last. */
  readonly serviceEnv?: Env
  readonly mongodCacheGb?: number
  /** Whether services restart on source changes and open an inspector (`npm run dev`). */
  readonly isDevelopment?: boolean
  readonly say: (line: string) => void
}

export type Plan = Wiring & {
  readonly config: Config
  readonly services: readonly Service[]
  readonly serviceEnv: Env
  readonly mongod: Found & { readonly port: number }
  readonly natsServer: Found & { readonly port: number }
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
  const ports = { mongod: await freePort(), natsServer: await freePort() }
  const grpcPorts: Partial<Record<ServiceName, number>> = {}
  const httpPorts: Partial<Record<ServiceName, number>> = {}
  const metricsPorts: Partial<Record<ServiceName, number>> = {}
  for (const { name, http } of options.services) {
    grpcPorts[name] = await freePort()
    metricsPorts[name] = await freePort()
    if (http) httpPorts[name] = await freePort()
  }
  return {
    config,
    env,
    keys,
    secrets: await createSecrets(dataDir, options.services),
    grpcPorts,
    httpPorts,
    metricsPorts,
    services: options.services,
    processes: config.processes,
    serviceEnv: options.serviceEnv ?? {},
    databasePrefix: options.databasePrefix ?? '',
    mongod: { ...mongod, port: ports.mongod },
    mongoUri: 'external' in mongod ? mongod.external : mongodUri(ports.mongod),
    mongodCacheGb: options.mongodCacheGb,
    inspectorPorts: options.isDevelopment ? inspectorPorts(config, options.services) : {},
    natsServer: { ...natsServer, port: ports.natsServer },
    natsUnauthenticated: 'external' in natsServer,
    natsUrl: 'external' in natsServer ? natsServer.external : natsServerUrl(ports.natsServer),
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

export function pathsOf({ config }: Plan, name: string) {
  return { dir: join(config.dataDir, name), logFile: join(config.dataDir, 'logs', `${name}.log`) }
}
