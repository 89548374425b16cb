import type { Agent as HttpAgent, Server as HttpServer, RequestListener, ServerOptions } from 'node:http'
import { createServer, Agent as HttpsAgent, type Server } from 'node:https'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { TlsFolder } from '../tls/tls-folder.ts'
import { acceptTlsToo } from './tls-or-plaintext.ts'

/** Loaded late: see http-server.ts. */
const http = process.getBuiltinModule('node:http')

const TLS_1_2 = { minVersion: 'TLSv1.2' } as const

type Options = ServerOptions & {
  /** Whether HTTP without TLS is accepted, too. */
  plaintext?: boolean
}

/** TLS 1.2 or later. With a folder for services, callers without our certificate get only health paths, for the kubelet. */
export function createHttpsServer(tls: TlsFolder, options: Options, handler: RequestListener): HttpServer {
  const { plaintext, ...limits } = options
  const listener = tls.isMutual ? requireCertificate(handler, plaintext) : handler
  const asked = tls.isMutual && { requestCert: true, rejectUnauthorized: false }
  const secured = { ...certificateOf(tls), ...asked }
  const server = plaintext ? http.createServer(limits, listener) : createServer({ ...limits, ...secured }, listener)
  const holder = plaintext ? acceptTlsToo(server as HttpServer, secured) : (server as Server)
  const renewal = tls.onRenewal(() => holder.setSecureContext(certificateOf(tls)))
  server.once('close', () => renewal[Symbol.dispose]())
  return server
}

/** OpenSSL would send `ca` along, which browsers have. */
function certificateOf(tls: TlsFolder) {
  const { cert, key, ca } = tls.current()
  return { cert, key, ...(tls.isMutual && { ca }), ...TLS_1_2 }
}

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz'])

function requireCertificate(handler: RequestListener, plaintext = false): RequestListener {
  return (req, res) => {
    const { encrypted = false, authorized } = req.socket as Partial<TLSSocket>
    if (authorized || HEALTH.has(req.url ?? '') || (plaintext && !encrypted)) return handler(req, res)
    res.writeHead(403, { connection: 'close' }).end()
  }
}

/** An agent for another service: verifies its name whatever Host is sent. @param tls unset: the system's authorities */
export function createHttpAgent(address: string, tls: TlsFolder | undefined): HttpAgent {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:') return new http.Agent({ keepAlive: true })
  const held = { keepAlive: true, ...TLS_1_2, servername: isIP(hostname) === 0 ? hostname : '' }
  if (tls === undefined) return new HttpsAgent(held)
  const agent = new HttpsAgent({ ...held, ...tls.current() })
  tls.onRenewal(() => Object.assign(agent.options, tls.current()))
  return agent
}
