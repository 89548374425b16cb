import { currentRequest, runInRequest } from '../observability/request.ts'
import { endSpan, startSpan, withSpan } from '../observability/spans.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import { PRINCIPAL } from './answer.ts'
import type { Definition, MethodDefinition, RequestOf, ResponseOf } from './definition.ts'
import { grpcClient } from './grpc-transport.ts'
import type { Identity } from './identity.ts'
import { inProcessClient, inProcessService } from './in-process-transport.ts'
import { rpcSpan } from './instrument.ts'
import type { StatusError } from './status-error.ts'
import { type ClientTransport, type OutgoingCall, STREAM_BUDGET_MS, type WireError } from './transport.ts'
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

/**
 * Dials a service by its gRPC address, or as `in-process:<service>`. Calls wait for it until their deadline, and are never resent.
 * @param serverName the name in the service's certificate, if it is not the host of the address
 */
export function dial<D extends Definition>(
  definition: D,
  address: string,
  identity: Identity,
  serverName?: string,
): RpcClient<D> {
  const service = inProcessService(address)
  const transport = service === undefined ? grpcClient(address, identity, serverName) : inProcessClient(service)
  const audience = audienceOf(definition)
  const serviceToken = () => identity.serviceToken(audience)
  const methods = Object.entries(definition).map(([name, method]) => [
    name,
    method.responseStream ? streamOf(transport, method, serviceToken) : methodOf(transport, method, serviceToken),
  ])
  return { ...Object.fromEntries(methods), close: () => transport.close() } as RpcClient<D>
}

function methodOf(transport: ClientTransport, method: MethodDefinition, serviceToken: ServiceToken) {
  const step = rpcSpan(method.path, 'client')
  const call = async (request: unknown, options: CallOptions): Promise<unknown> => {
    const headers = await headersOf(options, serviceToken)
    const deadline = options.deadline ?? Date.now() + CALL_BUDGET_MS
    try {
      return await transport.call(method, request, { headers, deadline })
    } catch (error) {
      throw fromWire(error as WireError)
    }
  }
  return (request: unknown, options: CallOptions = {}) => withSpan(step, () => call(request, options))
}

/** Cancels the call when the consumer stops or the signal aborts. */
function streamOf(transport: ClientTransport, method: MethodDefinition, serviceToken: ServiceToken) {
  const step = rpcSpan(method.path, 'client')
  return async function* (request: unknown, options: CallOptions = {}): AsyncGenerator<unknown> {
    const inHand = currentRequest()
    const span = startSpan(step)
    const calling = inHand && { id: inHand.id, span: span ?? inHand.span }
    const headers = await runInRequest(calling, () => headersOf(options, serviceToken))
    const deadline = options.deadline ?? Date.now() + STREAM_BUDGET_MS
    const stream = transport.stream(method, request, { headers, deadline })
    const cancel = () => stream.cancel()
    options.signal?.addEventListener('abort', cancel)
    if (options.signal?.aborted) cancel()
    let failure: StatusError | undefined
    try {
      yield* stream
    } catch (error) {
      failure = fromWire(error as WireError)
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

async function headersOf({ token }: CallOptions, serviceToken: ServiceToken): Promise<OutgoingCall['headers']> {
  const headers: Record<string, string> = {}
  injectTraceContext((name, value) => {
    headers[name] = value
  })
  headers.authorization = `Bearer ${await serviceToken()}`
  if (token !== undefined) headers[PRINCIPAL] = token
  return headers
}
