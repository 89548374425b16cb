import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { ENDED } from './call.ts'
import type { MethodDefinition } from './definition.ts'
import { openMessageQueue } from './message-queue.ts'
import {
  type Answer,
  type ClientTransport,
  DRAIN_MS,
  type IncomingCall,
  MAX_MESSAGE_BYTES,
  type OutgoingCall,
  type ResponseStream,
  type WireError,
} from './transport.ts'
import { wireError } from './wire-error.ts'

const SCHEME = 'in-process:'
const DRAIN_POLL_MS = 10

type InProcessServer = {
  answers: ReadonlyMap<string, Answer>
  isReady(): Promise<boolean>
  calls: Set<(error: WireError) => void>
}

const servers = new Map<string, InProcessServer>()
const arrivals = new EventEmitter().setMaxListeners(0)

/** The service of an address such as `in-process:inbox`; undefined for another process. */
export function inProcessService(address: string): string | undefined {
  return address.startsWith(SCHEME) ? address.slice(SCHEME.length) : undefined
}

export async function isReadyInProcess(service: string): Promise<boolean> {
  return (await servers.get(service)?.isReady()) ?? false
}

/** Accepts calls from this process. Disposing gives open calls some seconds to end. */
export function listenInProcess(
  service: string,
  answers: readonly Answer[],
  isReady: () => Promise<boolean>,
): AsyncDisposable {
  const byPath = new Map(answers.map((answer) => [answer.method.path, answer]))
  const server: InProcessServer = { answers: byPath, isReady, calls: new Set() }
  servers.set(service, server)
  arrivals.emit(service, server)
  return {
    async [Symbol.asyncDispose]() {
      if (servers.get(service) === server) servers.delete(service)
      const drainedBy = Date.now() + DRAIN_MS
      while (server.calls.size > 0 && Date.now() < drainedBy) await sleep(DRAIN_POLL_MS)
      for (const fail of server.calls) fail(wireError(status.UNAVAILABLE))
    },
  }
}

/** Messages are encoded and decoded as on the wire; only the socket is missing. */
export function inProcessClient(service: string): ClientTransport {
  return {
    call: (method, request, call) => callUnary(service, method, request, call),
    stream: (method, request, call) => openStream(service, method, request, call),
    close() {},
  }
}

async function callUnary(service: string, method: MethodDefinition, request: unknown, call: OutgoingCall) {
  const open = openCall(call)
  const answered = withServer(service, open, async (server) => {
    const answer = server.answers.get(method.path)
    if (answer === undefined || !('unary' in answer)) throw wireError(status.UNIMPLEMENTED)
    const outcome = await answer.unary(receive(request, method, answer, call, open))
    if ('error' in outcome) throw outcome.error
    return carry(outcome.value, answer.method.responseSerialize, method.responseDeserialize)
  })
  return Promise.race([open.failed, answered])
}

function openStream(service: string, method: MethodDefinition, request: unknown, call: OutgoingCall): ResponseStream {
  const open = openCall(call)
  const messages = openMessageQueue()
  const writeAs = (encode: Encode) => (message: unknown) => {
    try {
      return messages.write(carry(message, encode, method.responseDeserialize))
    } catch (error) {
      open.fail(error as WireError)
      return undefined
    }
  }
  const answered = withServer(service, open, async (server) => {
    const answer = server.answers.get(method.path)
    if (answer === undefined || !('stream' in answer)) throw wireError(status.UNIMPLEMENTED)
    messages.end(
      await answer.stream(receive(request, method, answer, call, open), writeAs(answer.method.responseSerialize)),
    )
  })
  open.failed.catch((error) => messages.abort(error))
  answered.catch((error) => messages.end(error))
  return {
    cancel: () => open.fail(wireError(status.CANCELLED)),
    [Symbol.asyncIterator]: () => messages[Symbol.asyncIterator](),
  }
}

type OpenCall = Disposable & {
  ended: AbortController
  /** Rejects at the deadline, or when `fail` is called. */
  failed: Promise<never>
  fail(error: WireError): void
}

function openCall({ deadline }: OutgoingCall): OpenCall {
  const ended = new AbortController()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const fail = (error: WireError) => {
    reject(error)
    ended.abort(ENDED)
  }
  const late = () => fail(wireError(status.DEADLINE_EXCEEDED))
  const leftMs = deadline - Date.now()
  if (leftMs <= 0) late()
  const timer = setTimeout(late, Math.max(0, leftMs))
  return { ended, failed, fail, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Waits for the service until the call ends. */
async function withServer<T>(
  service: string,
  open: OpenCall,
  work: (server: InProcessServer) => Promise<T>,
): Promise<T> {
  using call = open
  call.ended.signal.throwIfAborted()
  const server = servers.get(service) ?? (await nextServer(service, call.ended.signal))
  server.calls.add(call.fail)
  try {
    return await work(server)
  } finally {
    server.calls.delete(call.fail)
  }
}

async function nextServer(service: string, signal: AbortSignal): Promise<InProcessServer> {
  const [server] = await once(arrivals, service, { signal })
  return server
}

function receive(
  request: unknown,
  method: MethodDefinition,
  answer: Answer,
  { headers, deadline }: OutgoingCall,
  { ended }: OpenCall,
): IncomingCall {
  return {
    request: carry(request, method.requestSerialize, answer.method.requestDeserialize),
    header: (name) => headers[name],
    deadline,
    ended,
  }
}

type Encode = (message: unknown) => Buffer

/** @throws WireError */
function carry(message: unknown, encode: Encode, decode: (bytes: Buffer) => unknown): unknown {
  const bytes = encode(message)
  if (bytes.length <= MAX_MESSAGE_BYTES) return decode(bytes)
  const details = `Received message larger than max (${bytes.length} vs ${MAX_MESSAGE_BYTES})`
  throw wireError(status.RESOURCE_EXHAUSTED, details)
}
