import type { Target } from '@family-inbox/ops/target'
import { isListening } from './free-port.ts'
import { type Launched, launch, type Plan, placesOf } from './launch.ts'
import { databaseUri } from './mongo-uri.ts'
import { poll } from './poll.ts'
import { isPaused } from './process-list.ts'
import { isReady, waitReady } from './ready.ts'
import { openRoster, targetOf } from './roster.ts'
import type { IdentityKey } from './secrets.ts'
import { addresses, type ServiceName } from './services.ts'
import type { Supervised, Watcher } from './supervise.ts'

const READY_MS = 60_000
const PAUSED_MS = 5000
// Together under the 10 s in which Ctrl-C must have stopped everything.
const SERVICE_HALT = { graceMs: 6000 }
const NATS_HALT = { graceMs: 1000 }
const MONGOD_HALT = { graceMs: 2500 }

/** A service by its name, or one of the two servers under them. */
export type ProcessName = ServiceName | 'mongod' | 'nats-server'

/** Everything, running: each service a process of its own that is started again when it dies. */
export type Stack = AsyncDisposable & {
  readonly dataDir: string
  readonly baseUrl: string
  readonly apiUrl: string
  readonly inboxUrl: string
  readonly smtpPort: number
  readonly mailDomain: string
  /** The replica set, without a database. */
  readonly mongoUri: string
  readonly natsUrl: string
  /** `host:port` of each service's gRPC server. */
  readonly addresses: Readonly<Record<string, string>>
  /** `host:port` of each service that serves HTTP behind the gateway. */
  readonly httpAddresses: Readonly<Record<string, string>>
  /** Where each service's metrics can be read. */
  readonly metricsUrls: Readonly<Record<string, string>>
  /** The private key by which the operator signs. */
  readonly opsKey: IdentityKey
  /** The public keys of everyone, as a JWK Set. */
  readonly serviceKeys: { readonly keys: readonly IdentityKey[] }
  /** All the operator command needs. */
  readonly target: Target
  /** The connection string of one service's database, for looking into it. */
  databaseUri(name: ServiceName): string
  /** Undefined while a process that died is not started again yet. */
  pid(name: ProcessName): number | undefined
  /** How often a process died without being told to. */
  deaths(name: ProcessName): number
  /** Sends a signal, SIGKILL unless another is named; what dies of it is started again. */
  kill(name: ProcessName, signal?: NodeJS.Signals): void
  /** Stops a process politely, starts it again, and resolves when it accepts connections. */
  restart(name: ProcessName): Promise<void>
  /** Stops a process where it is, as SIGSTOP does; resolves when it really stands still. */
  pause(name: ProcessName): Promise<void>
  resume(name: ProcessName): void
  /** The file a process's output goes to. */
  logs(name: ProcessName): string
  /** Resolves when every service serves; throws after `timeoutMs` (60 s), or when a process keeps dying. */
  waitReady(timeoutMs?: number): Promise<void>
  /** Stops the services, then NATS, then MongoDB, all within 10 s. */
  stop(): Promise<void>
  /** Ends everything at once, as a power cut would. */
  crash(): Promise<void>
}

/** Starts what was planned. `stack.json` says so until it is stopped. */
export function runStack(plan: Plan, watch: Watcher = () => {}): Stack {
  const roster = openRoster(plan)
  const launched = launch(plan, (happening) => {
    roster.note(happening)
    watch(happening)
  })
  launched.serversReady.catch(() => {}) // reported to whoever waits for the stack
  const { processes } = launched
  const { config, mongoUri, natsUrl } = plan
  const target = targetOf(plan)
  const stop = async () => {
    await haltInOrder(processes)
    await roster.close()
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
    metricsUrls: Object.fromEntries(
      Object.entries(plan.metricsPorts).map(([name, port]) => [name, `http://127.0.0.1:${port}/metrics`]),
    ),
    httpAddresses: addresses(plan.httpPorts),
    opsKey: plan.keys.privateKeys.ops,
    serviceKeys: plan.keys.publicKeys,
    target,
    databaseUri: (name) => databaseUri(mongoUri, databaseOf(plan, name)),
    pid: (name) => named(processes, name).pid,
    deaths: (name) => named(processes, name).deaths,
    kill: (name, signal = 'SIGKILL') => named(processes, name).kill(signal),
    pause: (name) => pause(named(processes, name)),
    resume: (name) => named(processes, name).kill('SIGCONT'),
    restart: async (name) => {
      await named(processes, name).restart()
      await accepting(plan, name)
    },
    logs: (name) => placesOf(plan, name).logFile,
    waitReady: (timeoutMs = READY_MS) => ready(plan, launched, timeoutMs),
    stop,
    crash: async () => {
      await Promise.all([...processes.values()].map((process) => process.stop({ signal: 'SIGKILL' })))
      await roster.close()
    },
    [Symbol.asyncDispose]: stop,
  }
}

async function haltInOrder(processes: ReadonlyMap<string, Supervised>) {
  const { 'nats-server': nats, mongod, ...services } = Object.fromEntries(processes)
  await Promise.all(Object.values(services).map((service) => service.stop(SERVICE_HALT)))
  await nats?.stop(NATS_HALT)
  await mongod?.stop(MONGOD_HALT)
}

async function pause(process: Supervised) {
  const { pid } = process
  if (pid === undefined) throw new Error(`${process.name} does not run`)
  process.kill('SIGSTOP')
  await poll(async () => (await isPaused(pid)) || undefined, {
    timeoutMs: PAUSED_MS,
    timeout: () => new Error(`${process.name} does not stop where it is`),
  })
}

async function ready(plan: Plan, { processes, serversReady }: Launched, timeoutMs: number) {
  await serversReady
  // These two serve no gRPC; the gateway answers for the site.
  const { gateway, site: _site, ...others } = plan.grpcPorts
  const checks = Object.values(others).map((port) => () => isListening(port))
  if (gateway) checks.push(() => isReady(plan.config.healthPort, plan.config.isHttps))
  await waitReady(checks, [...processes.values()], timeoutMs)
}

async function accepting(plan: Plan, name: ProcessName) {
  const port = portOf(plan, name)
  await poll(async () => (await isListening(port)) || undefined, {
    timeoutMs: READY_MS,
    timeout: () =>
      new Error(`${name} does not accept connections after its restart; see ${placesOf(plan, name).logFile}`),
  })
}

function portOf({ config, grpcPorts, httpPorts, mongod, natsServer }: Plan, name: ProcessName): number {
  if (name === 'mongod') return mongod.port
  if (name === 'nats-server') return natsServer.port
  if (name === 'site') return httpPorts.site ?? 0
  return name === 'gateway' ? config.healthPort : (grpcPorts[name] ?? 0)
}

function databaseOf({ services, databasePrefix }: Plan, name: ServiceName): string {
  const database = services.find((service) => service.name === name)?.database
  if (!database) throw new Error(`${name} owns no database`)
  return databasePrefix + database
}

function named(processes: ReadonlyMap<string, Supervised>, name: string): Supervised {
  const process = processes.get(name)
  if (!process) throw new Error(`This stack runs no ${name}`)
  return process
}
