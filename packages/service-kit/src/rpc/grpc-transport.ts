import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import {
  type ChannelOptions,
  Client,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerOptions,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { byFirstByte } from '../http/tls-or-plaintext.ts'
import { ENDED } from './call.ts'
import type { Definition } from './definition.ts'
import { serveHealth } from './health-service.ts'
import type { Identity } from './identity.ts'
import { addReflection } from './reflection.ts'
import {
  type Answer,
  type ClientTransport,
  DRAIN_MS,
  type IncomingCall,
  MAX_MESSAGE_BYTES,
  type OutgoingCall,
  STREAM_BUDGET_MS,
  type StreamAnswer,
  type UnaryAnswer,
} from './transport.ts'

const CHANNEL: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // Replicas change addresses. By default a name is resolved once in 30 s, so two restarts within that time would leave no one to call.
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
}
const CALLS: ChannelOptions = { ...CHANNEL, 'grpc.keepalive_time_ms': 30_000 }
/** Streams have unpinged connections: grpc-js cannot ping an aged one, and would drop it with its streams. */
export const STREAMS: ChannelOptions = CHANNEL

export const SERVER: ServerOptions = {
  'grpc.max_connection_age_ms': 60_000,
  // No pings (grpc.keepalive_time_ms): grpc-js cannot ping an aged connection and would drop its downloads.
  'grpc.max_connection_age_grace_ms': STREAM_BUDGET_MS,
  'grpc.enable_channelz': 0,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
}

/** @param serverName the name in the server's certificate, if it is not the host of the address */
export function grpcClient(address: string, { transport }: Identity, serverName?: string): ClientTransport {
  const named: ChannelOptions = serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName }
  const client = new Client(address, transport.client, { ...CALLS, ...named })
  const streams = new Client(address, transport.client, { ...STREAMS, ...named })
  return {
    call: ({ path, requestSerialize, responseDeserialize }, request, { headers, deadline }) =>
      new Promise((resolve, reject) => {
        const metadata = toMetadata(headers)
        const done = (error: unknown, value: unknown) => (error ? reject(error) : resolve(value))
        withoutStackTraces(() =>
          client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, { deadline }, done),
        )
      }),
    stream: ({ path, requestSerialize, responseDeserialize }, request, { headers, deadline }) =>
      streams.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, toMetadata(headers), {
        deadline,
      }),
    close() {
      client.close()
      streams.close()
    },
  }
}

/** grpc-js keeps the stack of each caller for its errors, of which we use the status only. */
function withoutStackTraces(work: () => void): void {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    work()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function toMetadata(headers: OutgoingCall['headers']): Metadata {
  const metadata = new Metadata({ waitForReady: true })
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

type ListenOptions = {
  definition: Definition
  answers: Readonly<Record<string, Answer>>
  identity: Identity
  host: string
  port: number
  reflection?: boolean
  isReady(): Promise<boolean>
}

export type GrpcListener = AsyncDisposable & { port: number }

/** Listens for gRPC. Connections end after about a minute, so that clients find new replicas. */
export async function listenForGrpc(options: ListenOptions): Promise<GrpcListener> {
  const { definition, answers, identity, host, port } = options
  const server = new Server(SERVER)
  const implementation: UntypedServiceImplementation = {}
  for (const [name, answer] of Object.entries(answers))
    implementation[name] = 'stream' in answer ? streamHandler(answer.stream) : unaryHandler(answer.unary)
  server.addService(definition, implementation)
  serveHealth(server, options.isReady)
  if (options.reflection) await addReflection(server, definition)
  const bound = await bind(server, host, port, identity)
  return {
    port: bound.port,
    [Symbol.asyncDispose]: () => drain(server, bound.close),
  }
}

function unaryHandler(answer: UnaryAnswer): handleUnaryCall<unknown, unknown> {
  return async (call, callback) => {
    const outcome = await answer(incoming(call))
    if ('value' in outcome) callback(null, outcome.value)
    else callback(outcome.error)
  }
}

function streamHandler(answer: StreamAnswer): handleServerStreamingCall<unknown, unknown> {
  return async (call) => {
    const received = incoming(call)
    const { signal } = received.ended
    const error = await answer(received, (message) =>
      call.write(message) ? undefined : once(call, 'drain', { signal }),
    )
    if (error === undefined) call.end()
    else if (error.code !== status.CANCELLED) call.emit('error', error)
  }
}

function incoming(call: ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>): IncomingCall {
  const ended = new AbortController()
  call.once('cancelled', () => ended.abort(ENDED))
  return {
    request: call.request,
    header: (name) => call.metadata.get(name)[0]?.toString(),
    deadline: Number(call.getDeadline()),
    ended,
  }
}

type Bound = {
  port: number
  /** Accepts nothing more. Resolves when all connections have ended. */
  close(): Promise<unknown>
}

function bind(server: Server, host: string, port: number, { transport }: Identity): Promise<Bound> {
  if (transport.plaintext) return bindBoth(server, host, port, transport.server)
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, transport.server, (error, bound) =>
      error ? reject(error) : resolve({ port: bound, close: async () => {} }),
    )
  })
}

/** For the time in which TLS is turned on. */
async function bindBoth(server: Server, host: string, port: number, credentials: ServerCredentials): Promise<Bound> {
  const secure = server.createConnectionInjector(credentials)
  const plaintext = server.createConnectionInjector(ServerCredentials.createInsecure())
  const accept = byFirstByte(
    (socket) => secure.injectConnection(socket),
    (socket) => plaintext.injectConnection(socket),
  )
  const listener = createServer({ noDelay: true }, accept).listen(port, host)
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    // Of connections that it did not accept itself, tryShutdown() waits for none.
    close: () => new Promise((resolve) => listener.close(resolve)),
  }
}

function drain(server: Server, close: Bound['close']): Promise<void> {
  const closed = close()
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown()
      resolve()
    }, DRAIN_MS)
    server.tryShutdown(async () => {
      await closed
      clearTimeout(force)
      resolve()
    })
  })
}
