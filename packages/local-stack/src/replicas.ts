import { type Balancer, startBalancer } from './balancer.ts'
import { freePort } from './free-port.ts'
import type { PublicPort } from './require-free-ports.ts'
import {
  addresses,
  addressSettings,
  environmentOf,
  httpAddresses,
  type Service,
  type ServiceName,
  type Wiring,
} from './services.ts'

/** How many of each run with `--replicas`: the fewest of which one may be missing. */
export const STORE_SERVERS = 3
export const SERVICE_REPLICAS = 2

export type ReplicaPorts = Pick<Wiring, 'grpcPorts' | 'httpPorts' | 'metricsPorts'> & {
  /** Behind a balancer: what replicas of gateway and inbox listen on instead of the public ports. */
  readonly gateway?: number
  readonly smtp?: number
}

/** A server of a store: where it listens, and where the others reach it. */
export type StorePort = { readonly port: number; readonly reachedAt: number }

export type ReplicatedWiring = Wiring & { readonly replicas: readonly ReplicaPorts[] }

/** `auth`, then `auth-2`. */
export function replicaName(name: string, nth: number): string {
  return nth === 0 ? name : `${name}-${nth + 1}`
}

/** The inverse: the name of what this is a replica of, and which one it is. */
export function parseReplicaName(name: string): { base: string; nth: number } {
  const { base = name, nth = '1' } = /^(?<base>.+)-(?<nth>[23])$/.exec(name)?.groups ?? {}
  return { base, nth: Number(nth) - 1 }
}

/** @param through returns the port of a proxy in front of the given one */
export async function storePorts(count: number, through: (port: number) => Promise<number>): Promise<StorePort[]> {
  const ports: StorePort[] = []
  for (let nth = 0; nth < count; nth++) {
    const port = await freePort()
    ports.push({ port, reachedAt: await through(port) })
  }
  return ports
}

export async function replicaPorts(services: readonly Service[], isBalanced: boolean): Promise<ReplicaPorts> {
  const grpcPorts: Partial<Record<ServiceName, number>> = {}
  const httpPorts: Partial<Record<ServiceName, number>> = {}
  const metricsPorts: Partial<Record<ServiceName, number>> = {}
  for (const { name, http } of services) {
    grpcPorts[name] = await freePort()
    metricsPorts[name] = await freePort()
    if (http) httpPorts[name] = await freePort()
  }
  const ports = { grpcPorts, httpPorts, metricsPorts }
  return isBalanced ? { ...ports, gateway: await freePort(), smtp: await freePort() } : ports
}

/** Every gRPC target: all replicas of a service, which its callers take turns with. */
export function grpcTargets(replicas: readonly ReplicaPorts[]): Record<string, string> {
  const all = replicas.map(({ grpcPorts }) => addresses(grpcPorts))
  const [first = {}] = all
  if (all.length === 1) return first
  return Object.fromEntries(Object.keys(first).map((name) => [name, `ipv4:${all.map((one) => one[name]).join()}`]))
}

export function environmentOfReplica(service: Service, wiring: ReplicatedWiring, nth: number): Record<string, string> {
  const own = wiring.replicas[nth]
  const env = environmentOf(service, { ...wiring, ...own })
  if (wiring.replicas.length === 1) return env
  return {
    ...env,
    ...addressSettings(grpcTargets(wiring.replicas), service.name, 'ADDRESS'),
    ...httpAddresses(wiring, service.name),
    ...(service.database && { NATS_REPLICAS: `${STORE_SERVERS}` }),
    ...(service.name === 'gateway' && { PORT: `${own?.gateway}` }),
    ...(service.name === 'inbox' && { SMTP_PORT: `${own?.smtp}` }),
  }
}

/** Listens on the public ports, and on one for each service that serves HTTP, in front of the replicas. */
export async function startBalancers(
  publicPorts: readonly PublicPort[],
  services: readonly Service[],
  { httpPorts, replicas }: ReplicatedWiring,
): Promise<Balancer[]> {
  const balanced = [
    ...publicPorts.map(({ setting, port }) => {
      const isMail = setting === 'SMTP_PORT'
      const isRun = services.some(({ name }) => name === (isMail ? 'inbox' : 'gateway'))
      return isRun ? { port, targets: replicas.map((replica) => (isMail ? replica.smtp : replica.gateway)) } : undefined
    }),
    ...Object.entries(httpPorts).map(([name, port]) => ({
      port,
      targets: replicas.map((replica) => replica.httpPorts[name as ServiceName]),
    })),
  ]
  return Promise.all(
    balanced.flatMap((one) =>
      one ? startBalancer(() => one.targets.map((target) => `127.0.0.1:${target}`), one.port) : [],
    ),
  )
}
