import type { Target } from '@family-inbox/ops/target'
import type { Balancer } from './balancer.ts'
import { isListening } from './free-port.ts'
import { type Launched, launch } from './launch.ts'
import { type Plan, pathsOf } from './plan.ts'
import { isPaused } from './process-list.ts'
import { metricsUrls, openProcessRegistry, targetOf } from './process-registry.ts'
import { isReady, waitReady } from './ready.ts'
import { parseReplicaName, startBalancers } from './replicas.ts'
import type { IdentityKey } from './secrets.ts'
import { serveDoctor } from './serve-doctor.ts'
import { processOf } from './service-processes.ts'
import { addresses, type ServiceName } from './services.ts'
import type { Supervised, Watcher } from './supervise.ts'
import { waitFor } from './wait-for.ts'

const READY_MS = 60_000
const PAUSED_MS = 5000
// In total under the 10 s within which Ctrl-C must stop everything.
const SERVICE_STOP = { graceMs: 6000 }
const NATS_STOP = { graceMs: 1000 }
const MONGOD_STOP = { graceMs: 2500 }

type BaseName = ServiceName | 'mongod' | 'nats-server'
/** Replicas are numbered from the second: `auth`, `auth-2`. */
export type ProcessName = BaseName | `${BaseName}-${2 | 3}`

export type Stack = AsyncDisposable & {
  readonly dataDir: string
  readonly baseUrl: string
  readonly apiUrl: string
  readonly inboxUrl: string
  readonly smtpPort: number
  readonly mailDomain: string
  /** Leads to every database; with a mongod of its own, as the operator. */
  readonly mongoUri: string
  readonly natsUrl: string
  readonly addresses: Readonly<Record<string, string>>
  /** `host:port` of the services behind the gateway. */
  readonly httpAddresses: Readonly<Record<string, string>>
  readonly metricsUrls: Readonly<Record<string, string>>
  readonly opsKey: IdentityKey
  readonly serviceKeys: { readonly keys: readonly IdentityKey[] }
  readonly target: Target
  databaseUri(name: ServiceName): string
  /** Undefined between a death and the restart. */
  pid(name: ProcessName): number | undefined
  deaths(name: ProcessName): number
  /** Sends a signal, SIGKILL by default. A process that dies restarts. */
  kill(name: ProcessName, signal?: NodeJS.Signals): void
  restart(name: ProcessName): Promise<void>
  /** Each of its next starts is armed with one of these crash points, and ends where it reaches that. For tests. */
  crashAt(name: ServiceName, points: readonly string[]): void
  /** Sends SIGSTOP; resolves when the process has stopped. */
  pause(name: ProcessName): Promise<void>
  resume(name: ProcessName): void
  logs(name: ProcessName): string
  /** Resolves when every service is ready. @throws after `timeoutMs` (60 s), or when a process keeps exiting */
  waitReady(timeoutMs?: number): Promise<void>
  /** Stops the services, then NATS, then MongoDB, all within 10 s. */
  stop(): Promise<void>
  crash(): Promise<void>
}

/** Starts a planned stack, and keeps `stack.json` while it runs. */
export function runStack(plan: Plan, watch: Watcher = () => {}): Stack {
  const registry = openProcessRegistry(plan)
  const launched = launch(plan, (event) => {
    registry.record(event)
    watch(event)
  })
  launched.serversReady.catch(() => {}) // `waitReady` reports it
  const { processes } = launched
  const processNamed = (name: ProcessName) => find(processes, processOf(plan, name))
  const balancers =
    plan.replicas.length > 1 ? startBalancers(plan.config.publicPorts, plan.services, plan) : Promise.resolve([])
  balancers.catch(() => {}) // `waitReady` reports it
  const { config, mongoUri, natsUrl } = plan
  const doctor = plan.doctor && serveDoctor(plan.doctor, config.env)
  const target = targetOf(plan)
  const stop = async () => {
    await doctor?.[Symbol.asyncDispose]()
    await stopInOrder(processes)
    await closeAll(balancers)
    await registry.close()
  }
  return {
    dataDir: config.dataDir,
    baseUrl: config.urls.base,
    apiUrl: config.urls.api,
    inboxUrl: config.urls.inbox,
    smtpPort: config.smtpPort,
    mailDomain: config.mailDomain,
    mongoUri,
    natsUrl,
    addresses: target.addresses,
    metricsUrls: metricsUrls(plan),
    httpAddresses: addresses(plan.httpPorts),
    opsKey: plan.keys.privateKeys.ops,
    serviceKeys: plan.keys.publicKeys,
    target,
    databaseUri: (name) => databaseUriOf(plan, name),
    pid: (name) => processNamed(name).pid,
    deaths: (name) => processNamed(name).deaths,
    kill: (name, signal = 'SIGKILL') => processNamed(name).kill(signal),
    pause: (name) => pause(processNamed(name)),
    resume: (name) => processNamed(name).kill('SIGCONT'),
    crashAt: (name, points) => processNamed(name).crashAt(points),
    restart: async (name) => {
      await processNamed(name).restart()
      await waitUntilListening(plan, name)
    },
    logs: (name) => processNamed(name).logFile,
    waitReady: (timeoutMs = READY_MS) => balancers.then(() => waitUntilReady(plan, launched, timeoutMs)),
    stop,
    crash: async () => {
      await doctor?.[Symbol.asyncDispose]()
      await Promise.all([...processes.values()].map((process) => process.stop({ signal: 'SIGKILL' })))
      await closeAll(balancers)
      await registry.close()
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function stopInOrder(processes: ReadonlyMap<string, Supervised>) {
  const {
    services = [],
    'nats-server': nats = [],
    mongod = [],
  } = Object.groupBy(processes.values(), ({ name }) => {
    const { base } = parseReplicaName(name)
    return base === 'mongod' || base === 'nats-server' ? base : 'services'
  })
  await Promise.all(services.map((service) => service.stop(SERVICE_STOP)))
  await Promise.all(nats.map((server) => server.stop(NATS_STOP)))
  await Promise.all(mongod.map((server) => server.stop(MONGOD_STOP)))
}

async function closeAll(balancers: Promise<Balancer[]>) {
  const open = await balancers.catch(() => [])
  await Promise.all(open.map((balancer) => balancer[Symbol.asyncDispose]()))
}

async function pause(process: Supervised) {
  const { pid } = process
  if (pid === undefined) throw new Error(`${process.name} is not running`)
  process.kill('SIGSTOP')
  await waitFor(async () => (await isPaused(pid)) || undefined, {
    timeoutMs: PAUSED_MS,
    timeout: () => new Error(`${process.name} did not pause`),
  })
}

async function waitUntilReady(plan: Plan, { processes, serversReady }: Launched, timeoutMs: number) {
  await serversReady
  // Gateway and site serve no gRPC; the gateway's readiness covers the site.
  const checks = plan.replicas.flatMap(({ gateway: behindBalancer, grpcPorts }) => {
    const { gateway, site: _site, ...others } = grpcPorts
    const listening = Object.values(others).map((port) => () => isListening(port))
    const { healthPort, isHttps } = plan.config
    return gateway ? [...listening, () => isReady(behindBalancer ?? healthPort, isHttps)] : listening
  })
  await waitReady(checks, [...processes.values()], timeoutMs)
}

async function waitUntilListening(plan: Plan, name: ProcessName) {
  const port = portOf(plan, name)
  await waitFor(async () => (await isListening(port)) || undefined, {
    timeoutMs: READY_MS,
    timeout: () =>
      new Error(
        `${name} does not accept connections after its restart; see ${pathsOf(plan, processOf(plan, name)).logFile}`,
      ),
  })
}

function portOf({ config, replicas, mongod, natsServer }: Plan, name: ProcessName): number {
  const { base, nth } = parseReplicaName(name)
  if (base === 'mongod') return mongod.ports[nth]?.port ?? 0
  if (base === 'nats-server') return natsServer.ports[nth]?.port ?? 0
  const { grpcPorts, httpPorts, gateway = config.healthPort } = replicas[nth] ?? {}
  if (base === 'site') return httpPorts?.site ?? 0
  return base === 'gateway' ? gateway : (grpcPorts?.[base as ServiceName] ?? 0)
}

function databaseUriOf({ databaseUris }: Plan, name: ServiceName): string {
  const uri = databaseUris[name]
  if (uri === undefined) throw new Error(`${name} owns no database`)
  return uri
}

function find(processes: ReadonlyMap<string, Supervised>, name: string): Supervised {
  const process = processes.get(name)
  if (!process) throw new Error(`This stack runs no ${name}${name === 'mongod' ? ': start it with `ownMongod`' : ''}`)
  return process
}
