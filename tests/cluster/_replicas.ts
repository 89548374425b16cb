import { randomInt } from 'node:crypto'
import { join, relative } from 'node:path'
import { type Balancer, startBalancer } from '@family-inbox/local-stack/balancer'
import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import { startReaper } from '@family-inbox/local-stack/reaper'
import { identityKeys, localSecret } from '@family-inbox/local-stack/secrets'
import { entryOf, environmentOf, REPOSITORY, type ServiceName, services } from '@family-inbox/local-stack/services'
import { startStack } from '@family-inbox/local-stack/stack'
import { type Supervised, supervise } from '@family-inbox/local-stack/supervise'
import { waitFor } from '@family-inbox/local-stack/wait-for'
import { type DemoFamily, seedDemo } from '@family-inbox/ops/demo-seed'
import type { Target } from '@family-inbox/ops/target'
import { serveNames } from './_names.ts'

/** The whole system as on a cluster: replicas with their own addresses, found by name, behind stable addresses. */
export type Replicas = AsyncDisposable & {
  family: DemoFamily
  target: Target
  /** The address of all gateways, and the public hosts. */
  http: { port: number; apiHost: string; inboxHost: string }
  /** The pids of a service. */
  pids(service: ServiceName): number[]
  /** Replaces replicas one by one: each ends before its successor starts. @param root the folder of another version */
  roll(service: ServiceName, root?: string): Promise<void>
  logs: string
}

type Replica = { address: string; process: Supervised }

const READY_MS = 60_000
const GRACE_MS = 20_000
const PORTS = { GRPC_PORT: '50051', HTTP_PORT: '8080', PORT: '8080', METRICS_PORT: '9464', SMTP_PORT: '2525' }

/**
 * Starts replicas of every service with a family; the test plays the part of Kubernetes Services.
 * @param replicas how many of a service
 * @param smtpUrl the server for outgoing mail
 */
export async function startReplicas(replicas: (service: ServiceName) => number, smtpUrl: string): Promise<Replicas> {
  await using stack = new AsyncDisposableStack()
  const stores = stack.use(await startStack({ services: [], ownMongod: true }))
  const { dataDir } = stores
  const running = new Map<ServiceName, Replica[]>(services.map(({ name }) => [name, []]))
  const ready = new Map<ServiceName, string[]>(services.map(({ name }) => [name, []]))
  const readyOf = (service: string) => ready.get(service as ServiceName) ?? []
  const names = stack.use(await serveNames(readyOf))
  const endpoints: Record<string, Balancer> = {}
  for (const service of ['gateway', 'site', 'auth'] as const)
    endpoints[service] = stack.use(await startBalancer(() => readyOf(service).map((address) => `${address}:8080`)))
  const nextAddress = addresses()
  const reaper = startReaper()
  const environment = await environmentFor(stores, smtpUrl, names.target, endpoints)
  stack.defer(async () => {
    const processes = [...running.values()].flat().map(({ process }) => process)
    await Promise.all(processes.map((process) => process.stop({ signal: 'SIGKILL' })))
    reaper.dismiss()
  })

  async function start(service: ServiceName, root = REPOSITORY): Promise<void> {
    const address = nextAddress()
    const hosts = { GRPC_HOST: address, HTTP_HOST: address, METRICS_HOST: address, SMTP_HOST: address }
    const definition = services.find(({ name }) => name === service)
    if (!definition) throw new Error(`there is no ${service}`)
    const env = { ...environment(service), ...PORTS, ...hosts }
    const logFile = join(dataDir, 'logs', `${service}-${address}.log`)
    const args = [join(root, relative(REPOSITORY, entryOf(definition))), dataDir]
    const process = supervise({ name: service, file: globalThis.process.execPath, args, env, logFile })
    running.get(service)?.push({ address, process })
    reaper.watch([...running.values()].flat().flatMap((replica) => replica.process.pid ?? []))
    await waitFor(async () => (await isReady(service, address)) || undefined, {
      timeoutMs: READY_MS,
      everyMs: 50,
      timeout: () => new Error(`${service} is not ready; see ${logFile}`),
    })
    ready.set(service, [...readyOf(service), address])
  }

  /** As on a cluster: first it leaves DNS and gets no new connections, then it gets SIGTERM. */
  async function end({ address, process }: Replica, service: ServiceName): Promise<void> {
    ready.set(
      service,
      readyOf(service).filter((other) => other !== address),
    )
    await process.stop({ graceMs: GRACE_MS })
    running.set(service, running.get(service)?.filter((other) => other.address !== address) ?? [])
  }

  await Promise.all(services.flatMap(({ name }) => Array.from({ length: replicas(name) }, () => start(name))))
  const grpc = (service: ServiceName) => `${readyOf(service)[0]}:${PORTS.GRPC_PORT}`
  const target = {
    ...stores.target,
    addresses: { auth: grpc('auth'), 'care-circle': grpc('care-circle'), inbox: grpc('inbox'), pipe: grpc('pipe') },
    smtp: { host: readyOf('inbox')[0] ?? '', port: Number(PORTS.SMTP_PORT) },
  }
  const family = await seedDemo(target)
  const owned = stack.move()
  return {
    family,
    target,
    http: {
      port: endpoints.gateway?.port ?? 0,
      apiHost: new URL(stores.apiUrl).host,
      inboxHost: new URL(stores.inboxUrl).host,
    },
    pids: (service) => running.get(service)?.map(({ process }) => process.pid ?? 0) ?? [],
    async roll(service, root) {
      for (const replica of running.get(service) ?? []) {
        await end(replica, service)
        await start(service, root)
      }
    },
    logs: join(dataDir, 'logs'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Unused addresses: a new replica has a new one. */
function addresses(): () => string {
  const network = `127.${randomInt(64, 255)}.${randomInt(0, 256)}`
  let last = 0
  return () => `${network}.${++last}`
}

/** A service's settings except its own addresses. Limits are lifted. */
async function environmentFor(
  { dataDir, mongoUri, natsUrl, baseUrl, apiUrl, inboxUrl }: Awaited<ReturnType<typeof startStack>>,
  smtpUrl: string,
  target: (service: string) => string,
  http: Record<string, Balancer>,
) {
  const kinds = services.flatMap(({ secrets = {} }) => Object.entries(secrets))
  const secrets: Record<string, string> = {}
  for (const [name, kind] of kinds) secrets[name] = await localSecret(dataDir, name, kind)
  const env = {
    ...process.env,
    BASE_URL: baseUrl,
    API_URL: apiUrl,
    INBOX_URL: inboxUrl,
    SMTP_URL: smtpUrl,
    TOOL_CALLS_PER_MINUTE: '1000000',
    HTTP_MAX_CONNECTIONS_PER_PEER: '10000',
    SANDBOX_BUCKET_CAPACITY: '1000000',
    PIPE_EVENTS_PER_MINUTE: '1000000',
    REPLIES_PER_WORKSPACE: '9999/9999',
    REPLIES_PER_NEW_WORKSPACE: '9999/9999',
    REPLIES_PER_PERSON: '9999/9999',
    REPLIES_PER_RECIPIENT: '9999/9999',
    REPLIES_TO_UNVERIFIED: '9999/9999',
  }
  // As the operator: this stack has no services, and so none of their users.
  const databaseUris = Object.fromEntries(
    services.flatMap(({ name, database }) => (database === undefined ? [] : [[name, databaseUri(mongoUri, database)]])),
  )
  const wiring = {
    processes: 'seven' as const,
    env,
    keys: await identityKeys(dataDir),
    secrets,
    databaseUris,
    natsUrl,
    grpcPorts: {},
    httpPorts: {},
    metricsPorts: {},
  }
  const calls = {
    ...Object.fromEntries(
      services.map(({ name }) => [`${name.replaceAll('-', '_').toUpperCase()}_ADDRESS`, target(name)]),
    ),
    AUTH_HTTP_ADDRESS: `http://127.0.0.1:${http.auth?.port}`,
    SITE_HTTP_ADDRESS: `http://127.0.0.1:${http.site?.port}`,
    // So that names resolve through the target, not through this machine.
    GRPC_NODE_USE_ALTERNATIVE_RESOLVER: 'true',
    NODE_COMPILE_CACHE: join(REPOSITORY, 'node_modules/.cache/node-compile'),
  }
  return (name: ServiceName): Record<string, string> => {
    const service = services.find((candidate) => candidate.name === name)
    return service ? { ...environmentOf(service, wiring), ...calls } : {}
  }
}

/** Whether the readiness probe of the manifests succeeds. */
async function isReady(service: ServiceName, address: string): Promise<boolean> {
  const port = service === 'gateway' || service === 'site' ? PORTS.HTTP_PORT : PORTS.METRICS_PORT
  const path = service === 'gateway' ? 'livez' : 'readyz'
  try {
    return (await fetch(`http://${address}:${port}/${path}`, { signal: AbortSignal.timeout(2000) })).ok
  } catch {
    return false
  }
}
