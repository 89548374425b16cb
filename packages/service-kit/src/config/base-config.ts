import { join } from 'node:path'
import { z } from 'zod'
import { ConfigError, httpUrl, json, port, SECRET, wholeNumber } from './config.ts'
import { TLS_STEPS } from './tls-step.ts'

/** An Ed25519 key (RFC 8037) with its key id and its service. */
const identityKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  service: z.string(),
})

export const baseSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe(
      'the OpenTelemetry collector that receives traces (OTLP over HTTP), for example http://collector.tracing:4318; unset: no traces',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('the same, as a full URL, for example http://collector.tracing:4318/v1/traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('the share of requests to trace, from 0 to 1, for example 0.1'),
  METRICS_HOST: z.string().default('0.0.0.0').describe('the address metrics are served on, for example 127.0.0.1'),
  METRICS_PORT: port.default(9464).describe('the port Prometheus reads /metrics from, for example 9464'),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('how much is logged: debug, info, warn or error, for example info'),
  GRPC_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with tls.crt, tls.key and ca.crt for mutual TLS between services (gRPC and HTTP), for example /run/tls',
    ),
  TLS_STEP: z
    .enum(TLS_STEPS)
    .optional()
    .describe(
      'while TLS is being turned on: introduce (servers accept both, clients use none) or use (servers accept both, clients use TLS), for example introduce; unset: only TLS where there is a certificate',
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

/** Settings of services with gRPC, a database and NATS. */
export const backendSettings = {
  ...baseSettings,
  GRPC_HOST: z.string().default('0.0.0.0').describe('the address the gRPC server listens on, for example 127.0.0.1'),
  GRPC_PORT: port.default(50051).describe('the port the gRPC server listens on, for example 50051'),
  GRPC_REFLECTION: z
    .stringbool()
    .default(false)
    .describe('whether gRPC reflection is on: true or false, for example true'),
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
      'a folder with ca.crt; the connection to MongoDB must then use TLS with that authority, for example /run/mongodb-tls; unset: as MONGODB_URI says',
    ),
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/)
    .describe('the NATS servers, separated by commas, for example nats://localhost:4222'),
  NATS_UNAUTHENTICATED: z
    .stringbool()
    .default(false)
    .describe(
      'whether a NATS server without login may be used, on a single machine only: true or false, for example false',
    ),
  NATS_REPLICAS: wholeNumber(1)
    .refine((count) => [1, 3, 5].includes(count))
    .default(1)
    .describe('how many NATS servers hold each message: 1, 3 or 5, for example 3'),
  SWEEP_PAUSE_SECONDS: wholeNumber(1)
    .default(20)
    .describe(
      'the most seconds until background work that another process left is found, for example 20; fewer cost processor time while nothing happens',
    ),
  NATS_TLS_DIR: z
    .string()
    .optional()
    .describe(
      'a folder with ca.crt, the authority of the NATS servers; each server must then be tls://, for example /run/nats-tls',
    ),
}

type BaseValues = z.infer<z.ZodObject<typeof baseSettings>>
type BackendValues = z.infer<z.ZodObject<typeof backendSettings>>

export type BaseConfig = ReturnType<typeof baseConfig>
export type BackendConfig = ReturnType<typeof backendConfig>

export function baseConfig(values: BaseValues) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl } = values
  return {
    logLevel: values.LOG_LEVEL,
    grpcTlsDir: values.GRPC_TLS_DIR,
    tlsStep: values.TLS_STEP,
    serviceKey: values.SERVICE_KEY,
    serviceKeys: values.SERVICE_KEYS,
    metrics: { host: values.METRICS_HOST, port: values.METRICS_PORT },
    traces: { url: tracesUrl ?? (collector && `${collector}/v1/traces`), share: values.OTEL_TRACES_SAMPLER_ARG },
  }
}

/** @throws ConfigError when a connection to a store would be weaker than its TLS settings ask for */
export function backendConfig(values: BackendValues) {
  return {
    ...baseConfig(values),
    host: values.GRPC_HOST,
    port: values.GRPC_PORT,
    reflection: values.GRPC_REFLECTION,
    mongodbUri: secureMongodbUri(values),
    natsUrl: values.NATS_URL,
    natsTlsDir: natsTlsDir(values),
    natsUnauthenticated: values.NATS_UNAUTHENTICATED,
    natsReplicas: values.NATS_REPLICAS,
    sweepPauseMs: values.SWEEP_PAUSE_SECONDS * 1000,
  }
}

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
/** Connection string options that turn off TLS or one of its checks, or name another authority. */
const WEAKENS_TLS: Readonly<Record<string, (value: string) => boolean>> = {
  tls: isNot('true'),
  ssl: isNot('true'),
  tlsinsecure: isNot('false'),
  tlsallowinvalidcertificates: isNot('false'),
  tlsallowinvalidhostnames: isNot('false'),
  tlscafile: () => true,
}

export function natsTlsDir(values: { NATS_URL: string; NATS_TLS_DIR?: string }): string | undefined {
  const { NATS_URL: url, NATS_TLS_DIR: dir } = values
  if (dir === undefined) return undefined
  if (url.split(',').every((server) => server.startsWith('tls://'))) return dir
  throw new ConfigError('NATS_URL is wrong: with NATS_TLS_DIR every server must be tls://, for example tls://nats:4222')
}
