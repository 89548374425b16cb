import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { trimEndOf } from '../text/trim.ts'

/** A setting is missing or wrong. The message names it, says what was expected, and is meant for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

type Environment = Record<string, string | undefined>

/** Reads the environment; nothing else does. */
export function readEnvironment(): Environment {
  return { ...process.env }
}

/**
 * Checks settings against their schema and returns them typed, defaults filled in. An empty value counts as unset. A
 * setting `NAME` may come from a file instead: `NAME_FILE=/run/secrets/name`.
 * @throws ConfigError naming every setting that is missing or wrong
 */
export function parseSettings<Schema extends z.ZodObject>(schema: Schema, env: Environment): z.infer<Schema> {
  const present = Object.fromEntries(Object.keys(schema.shape).flatMap((name) => settingOf(name, env)))
  const result = schema.safeParse(present)
  if (result.success) return result.data
  const lines = result.error.issues.map((issue) => {
    const name = issue.path.map(String).join('.')
    const description = (schema.shape[name] as z.ZodType | undefined)?.description ?? issue.message
    return present[name] === undefined ? `${name} is missing: ${description}` : `${name} is wrong: ${description}`
  })
  throw new ConfigError(lines.join('\n'))
}

function settingOf(name: string, env: Environment): [name: string, value: string][] {
  const value = env[name]
  if (value !== undefined && value !== '') return [[name, value]]
  const file = env[`${name}_FILE`]
  return file === undefined || file === '' ? [] : [[name, readSecret(name, file)]]
}

function readSecret(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd()
  } catch {
    throw new ConfigError(
      `${name}_FILE is wrong: a file that this process may read, for example /run/secrets/family-inbox/${name}`,
    )
  }
}

/** A TCP port, 0 for any free one. */
export const port = z.coerce.number().int().min(0).max(65_535)

/** A whole number of at least `min`. */
export const wholeNumber = (min: number) => z.coerce.number().int().min(min)

/** For how many days something is kept: at least `min`, and at most what MongoDB can count in seconds. */
export const daysKept = (min: number) => wholeNumber(min).max(20_000)

/** An absolute http or https URL; a trailing slash is taken off, since the URL is a prefix of others. */
export const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => trimEndOf(url, '/'))

/** A JSON document. */
export const json = z.string().transform((text, ctx) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    ctx.addIssue({ code: 'custom', message: 'not JSON' })
    return z.NEVER
  }
})

/**
 * Holds a folder a setting names against what must be in it.
 * @throws ConfigError that names the setting and what is missing
 */
export function requireFiles(setting: string, dir: string, files: readonly string[]): void {
  const missing = files.filter((file) => !existsSync(join(dir, file)))
  if (missing.length > 0) throw new ConfigError(`${setting} is wrong: there is no ${missing.join(', ')} in the folder`)
}

/** Marks a setting that nobody but its service may see: `.meta(SECRET)`. On a cluster it comes from a file. */
export const SECRET = { secret: true } as const

/** An Ed25519 key (RFC 8037) that says which key it is, and which service's. */
const identityKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  service: z.string(),
})

/** A collector for traces; the names are OpenTelemetry's own. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'the OpenTelemetry collector that traces are sent to, by OTLP over HTTP, for example http://collector.tracing:4318; unset: nothing is traced',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('the same as a whole address, for example http://collector.tracing:4318/v1/traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('the share of requests that are traced, from 0 to 1, for example 0.1'),
}

/** Settings every process has; `run` reads them. */
export const processSettings = {
  ...traceSettings,
  METRICS_HOST: z.string().default('0.0.0.0').describe('the address metrics are served on, for example 127.0.0.1'),
  METRICS_PORT: port.default(9464).describe('the port Prometheus reads /metrics from, for example 9464'),
}

/** Settings every service has. Spread into each service's own schema. */
export const serviceSettings = {
  ...processSettings,
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('how much is logged: debug, info, warn or error, for example info'),
  GRPC_HOST: z.string().default('0.0.0.0').describe('the address the gRPC server listens on, for example 127.0.0.1'),
  GRPC_PORT: port.default(50051).describe('the port the gRPC server listens on, for example 50051'),
  GRPC_REFLECTION: z
    .stringbool()
    .default(false)
    .describe('whether the server describes itself by gRPC reflection: true or false, for example true'),
  GRPC_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with tls.crt, tls.key and ca.crt, by which services speak mutual TLS to one another, by gRPC and HTTP, for example /run/tls',
    ),
  SERVICE_KEY: json
    .pipe(identityKey.extend({ d: z.string() }))
    .describe(
      'the private key of this service, an Ed25519 JSON Web Key with members kid and service, for example {"kty":"OKP","crv":"Ed25519","d":"…","x":"…","kid":"auth-1","service":"auth"}',
    )
    .meta(SECRET),
  SERVICE_KEYS: json
    .pipe(z.object({ keys: z.tuple([identityKey]).rest(identityKey) }))
    .describe(
      'the public keys of all services, a JSON Web Key Set whose keys have members kid and service, for example {"keys":[{"kty":"OKP","crv":"Ed25519","x":"…","kid":"auth-1","service":"auth"}]}',
    ),
}

/** Settings of a service that owns a database. */
export const mongoSettings = {
  MONGODB_URI: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/?]+\/[^/?]+/)
    .describe(
      'the MongoDB replica set with this service’s database, for example mongodb://localhost:27017/inbox?replicaSet=rs0',
    )
    .meta(SECRET),
  MONGODB_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with ca.crt, by which MongoDB is spoken to over TLS and nothing else, for example /run/mongodb-tls; unset: as MONGODB_URI says',
    ),
}

/**
 * The connection string, over TLS and by that authority alone where a folder names one.
 * @throws ConfigError when the connection string weakens TLS
 */
export function secureMongodbUri(values: { MONGODB_URI: string; MONGODB_TLS_DIR?: string }): string {
  const { MONGODB_URI: uri, MONGODB_TLS_DIR: dir } = values
  if (dir === undefined) return uri
  const options = [...new URLSearchParams(uri.split('?')[1])].map(([name, value]) => [name.toLowerCase(), value])
  const weak = options.find(([name = '', value]) => WEAKENS_TLS[name]?.(value ?? ''))
  if (weak) throw new ConfigError(`MONGODB_URI is wrong: with MONGODB_TLS_DIR it may not say ${weak[0]}=${weak[1]}`)
  const added = options.some(([name]) => name === 'tls') ? [] : ['tls=true']
  added.push(`tlsCAFile=${encodeURIComponent(join(dir, 'ca.crt'))}`)
  return `${uri}${uri.includes('?') ? '&' : '?'}${added.join('&')}`
}

const isNot = (wanted: string) => (value: string) => value !== wanted
/** Options of a connection string that turn TLS or a check of it off, or name another authority, by their values. */
const WEAKENS_TLS: Readonly<Record<string, (value: string) => boolean>> = {
  tls: isNot('true'),
  ssl: isNot('true'),
  tlsinsecure: isNot('false'),
  tlsallowinvalidcertificates: isNot('false'),
  tlsallowinvalidhostnames: isNot('false'),
  tlscafile: () => true,
}

/** Settings of a service that queues or consumes messages. */
export const natsSettings = {
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/)
    .describe('the NATS servers, separated by commas, for example nats://localhost:4222'),
  NATS_UNAUTHENTICATED: z
    .stringbool()
    .default(false)
    .describe(
      'whether a NATS server that asks nobody to log in is used, for one machine only: true or false, for example false',
    ),
  NATS_REPLICAS: wholeNumber(1)
    .refine((count) => [1, 3, 5].includes(count))
    .default(1)
    .describe('how many NATS servers hold each message: 1, 3 or 5, for example 3'),
  NATS_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with ca.crt, the authority that signed the certificates of the NATS servers, each of which must then be tls://, for example /run/nats-tls',
    ),
}

/**
 * The folder with the authority of the NATS servers.
 * @throws ConfigError when a server is to be spoken to without TLS
 */
export function natsTlsDir(values: { NATS_URL: string; NATS_TLS_DIR?: string }): string | undefined {
  const { NATS_URL: url, NATS_TLS_DIR: dir } = values
  if (dir === undefined) return undefined
  if (url.split(',').every((server) => server.startsWith('tls://'))) return dir
  throw new ConfigError('NATS_URL is wrong: with NATS_TLS_DIR every server must be tls://, for example tls://nats:4222')
}

/** The address of another service's gRPC server. */
export const address = (service: string) =>
  z
    .string()
    .regex(/^\S+:\d+$/)
    .describe(`the gRPC address of ${service}, for example dns:///${service}:50051`)
