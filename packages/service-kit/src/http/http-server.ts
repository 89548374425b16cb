import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TlsFolder } from '../tls/tls-folder.ts'
import { clientNetwork } from './client-network.ts'
import { createHttpsServer } from './https-server.ts'
import { limitBodyTime } from './slow-bodies.ts'

// Importing it would load undici for exports nobody uses: 40 ms and 8 MB in every process.
const { createServer } = process.getBuiltinModule('node:http')

export type HttpServer = AsyncDisposable & { port: number }

export type HttpServerOptions = {
  host: string
  port: number
  /** Idle time in milliseconds before a connection closes. Must exceed the proxy's, or the proxy may send into a closed one. */
  keepAliveMs: number
  tls?: TlsFolder
  /** Whether TLS is being turned on: with a certificate, HTTP without TLS is accepted, too. */
  plaintext?: boolean
  /** The handler calls `requestBody` before it reads a body, so it can refuse one before it is sent. */
  asksForBodies?: true
  maxPerAddress?: number
  /** Requests that may take longer than others while they make progress; none by default. */
  isUpload?: (req: IncomingMessage) => boolean
}

const CLOSE_NOTICE_MS = 2000
const GRACE_MS = 5000
const LINGER_MS = 1000
const MAX_PIPELINED = 32

/** Serves HTTP with limits for slow clients. Disposing loses no request: responses say `Connection: close` for up to 2 s first. */
export async function serveHttp(handler: RequestListener, options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, keepAliveMs, isUpload } = options
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: isUpload === undefined ? 15_000 : 0,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384,
    connectionsCheckingInterval: 5000,
    // A request without Host gets the error object from the handler, not Node's empty answer.
    requireHostHeader: false,
  }
  let isEnding = false
  let watchBody: RequestListener | undefined
  const listener: RequestListener = (req, res) => {
    if (isEnding) res.shouldKeepAlive = false
    watchBody?.(req, res)
    if (mayStart(req.socket, res)) handler(req, res)
    else req.socket.destroy()
  }
  const server = createAnyServer(options, limits, listener)
  if (options.asksForBodies) {
    server.on('checkContinue', (req, res) => {
      if (isEnding) res.shouldKeepAlive = false
      holdBody(req, res, listener)
    })
  }
  if (isUpload !== undefined) watchBody = limitBodyTime(server, isUpload)
  server.maxConnections = 10_000
  if (options.maxPerAddress !== undefined) capPerAddress(server, options.maxPerAddress)
  server.on('clientError', (error, socket) => refuse(error, socket as Socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      isEnding = true
      const force = setTimeout(() => server.closeAllConnections(), GRACE_MS)
      await waitForDisconnects(server)
      await new Promise((resolve) => server.close(resolve))
      clearTimeout(force)
    },
  }
}

const underWay = new WeakMap<Socket, number>()

/** Node.js starts all pipelined requests at once: thousands on one connection would delay everyone. */
function mayStart(socket: Socket, res: ServerResponse): boolean {
  const count = (underWay.get(socket) ?? 0) + 1
  underWay.set(socket, count)
  res.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1))
  return count <= MAX_PIPELINED
}

function capPerAddress(server: Server, most: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = clientNetwork(socket.remoteAddress ?? '')
    const count = open.get(network) ?? 0
    if (count >= most) return void socket.destroy()
    open.set(network, count + 1)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
}

const waitingForContinue = new WeakMap<IncomingMessage, boolean>()

/** A client that waits for 100 (RFC 9110 section 10.1.1) may or may not send its body after a final response: end the connection. */
function holdBody(req: IncomingMessage, res: ServerResponse, listener: RequestListener): void {
  waitingForContinue.set(req, res.shouldKeepAlive)
  res.shouldKeepAlive = false
  listener(req, res)
}

export function requestBody(req: IncomingMessage, res: ServerResponse): void {
  const mayBeKept = waitingForContinue.get(req)
  if (mayBeKept === undefined) return
  waitingForContinue.delete(req)
  res.writeContinue()
  res.shouldKeepAlive = mayBeKept
}

/** Answers before the body has arrived: closing while the client sends would reset the connection and lose the answer. */
export function answerBeforeBody(req: IncomingMessage, res: ServerResponse): void {
  if (res.shouldKeepAlive || waitingForContinue.has(req)) return
  const end = res.end.bind(res)
  res.end = (chunk?: unknown, ...rest: unknown[]) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) res.write(chunk, rest[0] as BufferEncoding)
    const close = () => {
      clearTimeout(linger)
      end()
    }
    const linger = setTimeout(close, LINGER_MS)
    req.once('close', close).once('end', close).resume()
    return res
  }
}

function createAnyServer(
  { tls, plaintext }: HttpServerOptions,
  limits: ServerOptions,
  listener: RequestListener,
): Server {
  return tls === undefined ? createServer(limits, listener) : createHttpsServer(tls, { ...limits, plaintext }, listener)
}

async function waitForDisconnects(server: Server): Promise<void> {
  const end = Date.now() + CLOSE_NOTICE_MS
  while (Date.now() < end && (await connectionsOf(server)) > 0) await sleep(20)
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}

/**
 * No answer goes to what came too slowly: the pause may have been ours, and an agency would not send an event again after
 * 408, because 4xx is final (SPEC "Event pipe").
 */
const UNANSWERED = ['ECONNRESET', 'ERR_HTTP_REQUEST_TIMEOUT']

/** Responds to input that never became a request: malformed, or headers too long. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || UNANSWERED.includes(error.code ?? '')) return void socket.destroy()
  const message = 'The request is not valid HTTP.'
  const body = JSON.stringify({ error: { code: 'bad_request', message, hint: 'Check the address and the headers.' } })
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
