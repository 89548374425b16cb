import { type ChannelOptions, Client, Metadata, type ServiceError } from '@grpc/grpc-js'
import { currentRequest, runInRequest } from '../observability/request.ts'
import { endSpan, startSpan, withSpan } from '../observability/spans.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import type { Definition, MethodDefinition, RequestOf, ResponseOf } from './definition.ts'
import type { Identity } from './identity.ts'
import { rpcSpan } from './instrument.ts'
import type { StatusError } from './status-error.ts'
import { fromWire } from './wire-error.ts'

export type CallOptions = {
  /** The token of the person the call is made for; without it the service calls for itself. */
  token?: string
  /** In milliseconds since 1970. Default: 1.8 s from now. */
  deadline?: number
  /** Cancels a stream. A unary call is never canceled: it may be a write. */
  signal?: AbortSignal
}

/** A client with one function per method: it returns a promise or, for a stream, an async iterable. Rejects with StatusError. */
export type RpcClient<D extends Definition> = {
  [K in keyof D]: (
    request: RequestOf<D[K]>,
    options?: CallOptions,
  ) => D[K]['responseStream'] extends true ? AsyncIterable<ResponseOf<D[K]>> : Promise<ResponseOf<D[K]>>
} & { close(): void }

export const CALL_BUDGET_MS = 1800
export const STREAM_BUDGET_MS = 2 * 60 * 60_000

export const PRINCIPAL = 'principal'

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

/** Dials a service. Calls wait for the connection until their deadline, and are never resent: a write happens at most once. */
export function dial<D extends Definition>(definition: D, address: string, identity: Identity): RpcClient<D> {
  const client = new Client(address, identity.transport.client, CALLS)
  const streams = new Client(address, identity.transport.client, STREAMS)
  const tokens = () => identity.serviceToken(audienceOf(definition))
  const methods = Object.entries(definition).map(([name, method]) => [
    name,
    method.responseStream ? streamOf(streams, method, tokens) : methodOf(client, method, tokens),
  ])
  const close = () => {
    client.close()
    streams.close()
  }
  return { ...Object.fromEntries(methods), close } as RpcClient<D>
}

function methodOf(client: Client, method: MethodDefinition, serviceToken: ServiceToken) {
  const step = rpcSpan(method.path, 'client')
  const call = async (request: unknown, options: CallOptions): Promise<unknown> => {
    const metadata = await metadataOf(options, serviceToken)
    const deadline = options.deadline ?? Date.now() + CALL_BUDGET_MS
    return new Promise((resolve, reject) => {
      const answer = (error: ServiceError | null, response?: unknown) =>
        error ? reject(fromWire(error)) : resolve(response)
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        answer,
      )
    })
  }
  return (request: unknown, options: CallOptions = {}) => withSpan(step, () => call(request, options))
}

/** Reads at its consumer's pace. Cancels the call when the consumer stops or the signal aborts. */
function streamOf(client: Client, method: MethodDefinition, serviceToken: ServiceToken) {
  const step = rpcSpan(method.path, 'client')
  return async function* (request: unknown, options: CallOptions = {}): AsyncGenerator<unknown> {
    const inHand = currentRequest()
    const span = startSpan(step)
    const calling = inHand && { id: inHand.id, span: span ?? inHand.span }
    const metadata = await runInRequest(calling, () => metadataOf(options, serviceToken))
    const deadline = options.deadline ?? Date.now() + STREAM_BUDGET_MS
    const { path, requestSerialize, responseDeserialize } = method
    const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata, {
      deadline,
    })
    const cancel = () => stream.cancel()
    options.signal?.addEventListener('abort', cancel)
    if (options.signal?.aborted) cancel()
    let failure: StatusError | undefined
    try {
      yield* stream
    } catch (error) {
      failure = fromWire(error as ServiceError)
      throw failure
    } finally {
      options.signal?.removeEventListener('abort', cancel)
      cancel()
      endSpan(span, failure?.status)
    }
  }
}

type ServiceToken = () => Promise<string>

/** The service's name from its contract: `familyinbox.carecircle.v1.CareCircleService` is `care-circle`. */
function audienceOf(definition: Definition): string {
  const [, name = ''] = Object.values(definition)[0]?.path.match(/\.(\w+)Service\//) ?? []
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

async function metadataOf({ token }: CallOptions, serviceToken: ServiceToken): Promise<Metadata> {
  const metadata = new Metadata({ waitForReady: true })
  injectTraceContext((name, value) => metadata.set(name, value))
  metadata.set('authorization', `Bearer ${await serviceToken()}`)
  if (token !== undefined) metadata.set(PRINCIPAL, token)
  return metadata
}
