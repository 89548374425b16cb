import { type ChannelOptions, Client, Metadata, type ServiceError } from '@grpc/grpc-js'
import { inRequest, requestInHand } from '../observability/request.ts'
import { endStep, startStep, takeStep } from '../observability/steps.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import type { Definition, MethodDefinition, RequestOf, ResponseOf } from './definition.ts'
import type { Identity } from './identity.ts'
import { rpcStep } from './instrument.ts'
import type { StatusError } from './status-error.ts'
import { fromWire } from './wire-error.ts'

export type CallOptions = {
  /** The token of the person the call is made for; without it the service speaks for itself. */
  token?: string
  /** When the answer is worthless, in milliseconds since 1970. Default: 1.8 s from now. */
  deadline?: number
  /** Ends a stream when it aborts, whatever its reader is doing. A single answer is never called off: it may be a write. */
  signal?: AbortSignal
}

/**
 * A client with one function for each method of the contract: it returns a promise, or what can be iterated once for a
 * stream. Rejects with StatusError.
 */
export type RpcClient<D extends Definition> = {
  [K in keyof D]: (
    request: RequestOf<D[K]>,
    options?: CallOptions,
  ) => D[K]['responseStream'] extends true ? AsyncIterable<ResponseOf<D[K]>> : Promise<ResponseOf<D[K]>>
} & { close(): void }

/** Every call is answered, or told that it is not, within this time. */
export const CALL_BUDGET_MS = 1800
/** A stream goes on for as long as a slow line needs for a large download, and not for ever. */
export const STREAM_BUDGET_MS = 2 * 60 * 60_000

/** The metadata key of the person's token. */
export const PRINCIPAL = 'principal'

const CHANNEL: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // Replicas come and go with addresses of their own. By default a name is asked for once in 30 s, and two restarts within
  // that time would leave nobody to call.
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  'grpc.enable_http_proxy': 0,
  // Statistics that nobody reads, kept for every call.
  'grpc.enable_channelz': 0,
}
const CALLS: ChannelOptions = { ...CHANNEL, 'grpc.keepalive_time_ms': 30_000 }
/**
 * Streams have connections of their own, without pings: a server lets a connection go that is a minute old, no ping can be sent
 * on it any more, and grpc-js takes that for a lost connection and ends what still streams on it.
 */
export const STREAMS: ChannelOptions = CHANNEL

/**
 * Dials a service. Calls wait for the connection until their deadline, so a replica that restarts costs time, not errors;
 * nothing that reached a server is ever sent again, so a write happens at most once.
 * @param address a gRPC target, for example `dns:///inbox:50051`
 */
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
  const step = rpcStep(method.path, 'client')
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
  return (request: unknown, options: CallOptions = {}) => takeStep(step, () => call(request, options))
}

/** Reads no faster than its consumer, and tells the server when the consumer stops or the signal aborts. */
function streamOf(client: Client, method: MethodDefinition, serviceToken: ServiceToken) {
  const step = rpcStep(method.path, 'client')
  return async function* (request: unknown, options: CallOptions = {}): AsyncGenerator<unknown> {
    const inHand = requestInHand()
    const span = startStep(step)
    const calling = inHand && { id: inHand.id, span: span ?? inHand.span }
    const metadata = await inRequest(calling, () => metadataOf(options, serviceToken))
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
      endStep(span, failure?.status)
    }
  }
}

type ServiceToken = () => Promise<string>

/** The name of the service that is called, from its contract: `familyinbox.carecircle.v1.CareCircleService` is `care-circle`. */
function audienceOf(definition: Definition): string {
  const [, name = ''] = Object.values(definition)[0]?.path.match(/\.(\w+)Service\//) ?? []
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

/** The service speaks for itself, and brings the person the call is made for, if there is one. */
async function metadataOf({ token }: CallOptions, serviceToken: ServiceToken): Promise<Metadata> {
  const metadata = new Metadata({ waitForReady: true })
  injectTraceContext((name, value) => metadata.set(name, value))
  metadata.set('authorization', `Bearer ${await serviceToken()}`)
  if (token !== undefined) metadata.set(PRINCIPAL, token)
  return metadata
}
