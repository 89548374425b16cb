import {
  type handleUnaryCall,
  type Metadata,
  Server,
  type ServerOptions,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Logger } from '../observability/logger.ts'
import { ENDED, type Handler, type HandlerContext, type StreamHandler } from './call.ts'
import { raceDeadline } from './deadline.ts'
import type { Definition, RequestOf, ResponseOf } from './definition.ts'
import { PRINCIPAL, STREAM_BUDGET_MS } from './dial.ts'
import type { Identity } from './identity.ts'
import { handleCall, observeRpc, rpcSpan } from './instrument.ts'
import { addReflection } from './reflection.ts'
import { serveStream } from './serve-stream.ts'
import { StatusError } from './status-error.ts'
import { toWire } from './wire-error.ts'

export type Handlers<D extends Definition> = {
  [K in keyof D]: D[K]['responseStream'] extends true
    ? StreamHandler<RequestOf<D[K]>, ResponseOf<D[K]>>
    : Handler<RequestOf<D[K]>, ResponseOf<D[K]>>
}

export type ServeOptions<D extends Definition> = {
  definition: D
  handlers: Handlers<D>
  identity: Identity
  logger: Logger
  host: string
  port: number
  reflection?: boolean
  isReady: () => Promise<boolean>
}

export type GrpcServer = AsyncDisposable & { port: number; isReady(): boolean }

export const SERVER: ServerOptions = {
  'grpc.max_connection_age_ms': 60_000,
  // No pings (grpc.keepalive_time_ms): grpc-js cannot ping an aged connection and would drop its downloads.
  'grpc.max_connection_age_grace_ms': STREAM_BUDGET_MS,
  'grpc.enable_channelz': 0,
  'grpc.max_receive_message_length': 4 * 1024 * 1024,
}
const DEFAULT_BUDGET_MS = 2000
/** Time for UNAVAILABLE to reach a caller with the same deadline. */
const MARGIN_MS = 100
const DRAIN_MS = 5000

/** Serves gRPC with health checking. Connections end after about a minute, so that clients find new replicas. */
export async function serveGrpc<D extends Definition>(options: ServeOptions<D>): Promise<GrpcServer> {
  const server = new Server(SERVER)
  const implementation: UntypedServiceImplementation = {}
  for (const [name, handler] of Object.entries(options.handlers)) {
    const { path = name, responseStream = false } = options.definition[name] ?? {}
    const identify = (metadata: Metadata) => identifyCaller(options.identity, metadata)
    implementation[name] = responseStream
      ? serveStream(path, handler as StreamHandler<unknown, unknown>, { identify, logger: options.logger })
      : unary(path, handler as Handler<unknown, unknown>, { identify, logger: options.logger })
  }
  server.addService(options.definition, implementation)
  const health = new HealthImplementation({ '': 'SERVING', ready: 'NOT_SERVING' })
  health.addToServer(server)

  if (options.reflection) await addReflection(server, options.definition)

  const port = await listen(server, `${options.host}:${options.port}`, options.identity)
  let isEnding = false
  let isReady = false
  const showReadiness = async () => {
    isReady = (await options.isReady()) && !isEnding
    health.setStatus('ready', isReady ? 'SERVING' : 'NOT_SERVING')
  }
  await showReadiness()
  const readiness = setInterval(showReadiness, 1000)
  return {
    port,
    isReady: () => isReady,
    async [Symbol.asyncDispose]() {
      isEnding = true // before the check in progress reports
      clearInterval(readiness)
      health.setStatus('ready', 'NOT_SERVING')
      isReady = false
      await drain(server)
    },
  }
}

function unary(
  path: string,
  handler: Handler<unknown, unknown>,
  { identify, logger }: HandlerContext,
): handleUnaryCall<unknown, unknown> {
  const step = rpcSpan(path, 'server')
  const answerCall = async (...[call, callback]: Parameters<handleUnaryCall<unknown, unknown>>): Promise<void> => {
    const startedAt = performance.now()
    const deadline = Math.min(Number(call.getDeadline()), Date.now() + DEFAULT_BUDGET_MS)
    const gone = new AbortController()
    call.once('cancelled', () => gone.abort(ENDED))
    const answer = async () => {
      const caller = await identify(call.metadata)
      return raceDeadline(handler(call.request, { ...caller, deadline, signal: gone.signal }), deadline - MARGIN_MS)
    }
    const outcome = await toOutcome(answer())
    gone.abort(ENDED)
    const error = 'error' in outcome ? toWire(outcome.error, path, logger) : null
    observeRpc(path, startedAt, error?.code)
    // Outside any try: a callback that throws must not be called twice.
    if ('value' in outcome) callback(null, outcome.value)
    else callback(error)
  }
  return (call, callback) => handleCall(call.metadata, step, () => answerCall(call, callback))
}

async function toOutcome<T>(work: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await work }
  } catch (error) {
    return { error }
  }
}

async function identifyCaller(identity: Identity, metadata: Metadata) {
  const principal = metadata.get(PRINCIPAL)[0]?.toString()
  const caller = await identity.identify(bearerOf(metadata.get('authorization')[0]), principal)
  return { token: principal ?? '', caller }
}

function bearerOf(value: string | Buffer | undefined): string {
  if (typeof value === 'string' && value.startsWith('Bearer ')) return value.slice('Bearer '.length)
  throw new StatusError('UNAUTHENTICATED', 'The caller could not be identified.')
}

function listen(server: Server, address: string, { transport }: Identity): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, transport.server, (error, port) => (error ? reject(error) : resolve(port)))
  })
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, DRAIN_MS)
    server.tryShutdown(() => {
      clearTimeout(force)
      resolve()
    })
  })
}
