import { join } from 'node:path'
import type { z } from 'zod'
import { settings as auth } from '../../../services/auth/src/config.ts'
import type { MIGRATIONS as authMigrations } from '../../../services/auth/src/context.ts'
import { settings as careCircle } from '../../../services/care-circle/src/config.ts'
import type { MIGRATIONS as careCircleMigrations } from '../../../services/care-circle/src/context.ts'
import { settings as gateway } from '../../../services/gateway/src/config.ts'
import { settings as inbox } from '../../../services/inbox/src/config.ts'
import type { migrations as inboxMigrations } from '../../../services/inbox/src/migrations/index.ts'
import { settings as pipe } from '../../../services/pipe/src/config.ts'
import type { MIGRATIONS as pipeMigrations } from '../../../services/pipe/src/context.ts'
import { settings as sandbox } from '../../../services/sandbox/src/config.ts'
import type { MIGRATIONS as sandboxMigrations } from '../../../services/sandbox/src/context.ts'
import { settings as site } from '../../../services/site/src/config.ts'
import type { Env } from './config.ts'
import type { Identity, IdentityKeys, SecretKind } from './secrets.ts'

export type ServiceName = Exclude<Identity, 'ops'>

/** A process for each service, or one for all. */
export type Processes = 'seven' | 'single'

export type Service = {
  readonly name: ServiceName
  readonly database?: string
  /** How many migrations its code has. As a number, because loading them takes a start half a second. */
  readonly schemaVersion?: number
  /** It gets these, and no others. */
  readonly settings: z.ZodObject
  readonly http?: true
  readonly secrets?: Readonly<Record<string, SecretKind>>
  /** Default: `services/<name>/src/main.ts`. */
  readonly entry?: string
}

/** Where site asks the doctor, and what it must show: any other program of this machine can reach the port. */
export type DoctorAddress = { readonly port: number; readonly key: string }

export type Wiring = {
  readonly env: Env
  readonly processes: Processes
  /** These services run in processes of their own even with `single`. */
  readonly separate?: readonly ServiceName[]
  readonly grpcPorts: Readonly<Partial<Record<ServiceName, number>>>
  readonly httpPorts: Readonly<Partial<Record<ServiceName, number>>>
  readonly metricsPorts: Readonly<Partial<Record<ServiceName, number>>>
  readonly keys: IdentityKeys
  readonly secrets: Readonly<Record<string, string>>
  readonly databaseUris: Readonly<Partial<Record<ServiceName, string>>>
  readonly natsUrl: string
  /** Where the operator's page has one. */
  readonly doctor?: DoctorAddress | undefined
  /** Whether a NATS server of the developer's own may have no login. */
  readonly natsUnauthenticated?: boolean
}

export const services: readonly Service[] = [
  {
    name: 'auth',
    database: 'auth',
    schemaVersion: 0 satisfies (typeof authMigrations)['length'],
    http: true,
    settings: auth,
    secrets: { OIDC_JWKS: 'signing-keys', OIDC_COOKIE_KEYS: 'key-list' },
  },
  {
    name: 'care-circle',
    database: 'care_circle',
    schemaVersion: 1 satisfies (typeof careCircleMigrations)['length'],
    settings: careCircle,
    secrets: { INVITATION_KEY: 'key' },
  },
  {
    name: 'inbox',
    database: 'inbox',
    schemaVersion: 12 satisfies (typeof inboxMigrations)['length'],
    settings: inbox,
    secrets: { MAILBOX_SECRET_KEYS: 'key-list', KEY_ENCRYPTION_KEYS: 'key-list', DKIM_KEY: 'rsa-key' },
  },
  {
    name: 'sandbox',
    database: 'sandbox',
    schemaVersion: 0 satisfies (typeof sandboxMigrations)['length'],
    settings: sandbox,
    secrets: { NETWORK_KEY: 'key' },
  },
  {
    name: 'pipe',
    database: 'pipe',
    schemaVersion: 0 satisfies (typeof pipeMigrations)['length'],
    settings: pipe,
    secrets: { PIPE_SECRET_KEYS: 'key-list' },
  },
  { name: 'site', http: true, settings: site },
  { name: 'gateway', settings: gateway },
]

export const REPOSITORY = join(import.meta.dirname, '../../..')

// The variables that any Node.js process needs from its machine. Nothing else leaks into a service.
const INHERITED = /^(PATH|HOME|TMPDIR|TZ|LANG|LC_\w+|NODE_\w+|SSL_CERT_\w+|OTEL_\w+|LD_\w+)$/

export function entryOf(service: Service): string {
  return service.entry ?? join(REPOSITORY, 'services', service.name, 'src/main.ts')
}

export function environmentOf(service: Service, wiring: Wiring): Record<string, string> {
  const { env, keys } = wiring
  const known = {
    ...env,
    ...wiring.secrets,
    ...grpcAddresses(wiring, service.name),
    ...httpAddresses(wiring, service.name),
    ...(service.http && { HTTP_HOST: '127.0.0.1', HTTP_PORT: `${wiring.httpPorts[service.name]}` }),
    MONGODB_URI: wiring.databaseUris[service.name] ?? '',
    NATS_URL: wiring.natsUrl,
    ...(wiring.doctor && { DOCTOR_URL: `http://127.0.0.1:${wiring.doctor.port}`, DOCTOR_KEY: wiring.doctor.key }),
    NATS_UNAUTHENTICATED: `${wiring.natsUnauthenticated === true}`,
    GRPC_HOST: '127.0.0.1',
    GRPC_PORT: `${wiring.grpcPorts[service.name]}`,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: `${wiring.metricsPorts[service.name]}`,
    SERVICE_KEY: JSON.stringify(keys.privateKeys[service.name]),
    SERVICE_KEYS: JSON.stringify(keys.publicKeys),
  }
  return { ...processEnvironment(env), ...chosen(known, (name) => name in service.settings.shape) }
}

export function sharesProcess({ processes, separate }: Pick<Wiring, 'processes' | 'separate'>, name: string): boolean {
  return processes === 'single' && !separate?.some((other) => other === name)
}

export function processEnvironment(env: Env): Record<string, string> {
  return {
    ...chosen(env, (name) => INHERITED.test(name)),
    NODE_ENV: 'production',
    MALLOC_ARENA_MAX: '2', // saves some 10 MB a process that glibc reserves for threads
    // Without it, glibc soon keeps what large mails needed: 110 MB in inbox. The Dockerfile sets the same.
    MALLOC_MMAP_THRESHOLD_: '1048576',
  }
}

export function addresses(ports: Partial<Record<ServiceName, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, `127.0.0.1:${port}`]))
}

function grpcAddresses(wiring: Wiring, self: ServiceName): Record<string, string> {
  const reached = Object.entries(addresses(wiring.grpcPorts)).map(([name, address]) => {
    const isHere = sharesProcess(wiring, self) && sharesProcess(wiring, name)
    return [name, isHere ? `in-process:${name}` : address] as const
  })
  return addressSettings(Object.fromEntries(reached), self, 'ADDRESS')
}

export function httpAddresses({ env, httpPorts }: Wiring, self: ServiceName): Record<string, string> {
  return addressSettings(addresses(httpPorts), self, 'HTTP_ADDRESS', env.GRPC_TLS_DIR ? 'https://' : 'http://')
}

/** A setting for each address but its own, such as `CARE_CIRCLE_ADDRESS`. */
export function addressSettings(
  addressByName: Readonly<Record<string, string>>,
  self: ServiceName,
  setting: string,
  scheme = '',
): Record<string, string> {
  const others = Object.entries(addressByName).filter(([name]) => name !== self)
  return Object.fromEntries(
    others.map(([name, address]) => [`${name.replaceAll('-', '_').toUpperCase()}_${setting}`, scheme + address]),
  )
}

function chosen(env: Env, isChosen: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(([name, value]) => value !== undefined && isChosen(name))
  return Object.fromEntries(entries as [string, string][])
}
