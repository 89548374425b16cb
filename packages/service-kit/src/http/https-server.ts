import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Agent as HttpAgent, Server as HttpServer, RequestListener, ServerOptions } from 'node:http'
import { createServer, Agent as HttpsAgent, type Server } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { requireFiles } from '../config/config.ts'
import { exportCertificateEnd } from '../observability/certificate-metrics.ts'
import { acceptTlsToo } from './tls-or-plaintext.ts'

/** Loaded late: see http-server.ts. */
const http = process.getBuiltinModule('node:http')

const REFRESH_MS = 10_000
const TLS_1_2 = { minVersion: 'TLSv1.2' } as const

type Options = ServerOptions & {
  /** Whether HTTP without TLS is accepted, too. */
  plaintext?: boolean
}

/** TLS 1.2 or later; reloads changed files. @throws ConfigError @param dir has `tls.crt` (with its chain) and `tls.key` (PEM) */
export function createHttpsServer(dir: string, options: Options, handler: RequestListener): HttpServer {
  const certificate = readServerCertificate('HTTP_TLS_DIR', dir)
  exportCertificateEnd('HTTP_TLS_DIR', dir)
  return withTls(options, handler, { certificate, dir, read: () => readCertificate(dir) })
}

/** The same for services. Without our certificate only health paths respond, for the kubelet. @param dir has `ca.crt` as well */
export function createMutualHttpsServer(dir: string, options: Options, handler: RequestListener): HttpServer {
  requireFiles('GRPC_TLS_DIR', dir, ['tls.crt', 'tls.key', 'ca.crt'])
  const certificate = { ...readPeer(dir), requestCert: true, rejectUnauthorized: false }
  const known: RequestListener = (req, res) => {
    const { encrypted = false, authorized } = req.socket as Partial<TLSSocket>
    if (authorized || HEALTH.has(req.url ?? '') || (options.plaintext && !encrypted)) return handler(req, res)
    res.writeHead(403, { connection: 'close' }).end()
  }
  return withTls(options, known, { certificate, dir, read: () => readPeer(dir) })
}

type Certificate = { certificate: TlsOptions; dir: string; read: () => ReturnType<typeof readCertificate> }

function withTls(
  { plaintext, ...options }: Options,
  handler: RequestListener,
  { certificate, dir, read }: Certificate,
) {
  const tls = { ...certificate, ...TLS_1_2 }
  const server = plaintext ? http.createServer(options, handler) : createServer({ ...options, ...tls }, handler)
  const holder = plaintext ? acceptTlsToo(server as HttpServer, tls) : (server as Server)
  const watch = watchCertificate(dir, () => holder.setSecureContext({ ...read(), ...TLS_1_2 }))
  server.once('close', () => watch[Symbol.dispose]())
  return server
}

const HEALTH: ReadonlySet<string> = new Set(['/livez', '/readyz'])

export function watchCertificate(dir: string, renew: () => void): Disposable {
  const files = [certificateFile(dir), keyFile(dir)]
  const listener = () => {
    try {
      renew()
    } catch {}
  }
  for (const file of files) watchFile(file, { interval: REFRESH_MS, persistent: false }, listener)
  return {
    [Symbol.dispose]() {
      for (const file of files) unwatchFile(file, listener)
    },
  }
}

function readPeer(dir: string) {
  return { ...readCertificate(dir), ca: readFileSync(join(dir, 'ca.crt')) }
}

export function readServerCertificate(setting: string, dir: string) {
  requireFiles(setting, dir, ['tls.crt', 'tls.key'])
  return readCertificate(dir)
}

function readCertificate(dir: string) {
  return { cert: readFileSync(certificateFile(dir)), key: readFileSync(keyFile(dir)) }
}

function certificateFile(dir: string): string {
  return join(dir, 'tls.crt')
}

function keyFile(dir: string): string {
  return join(dir, 'tls.key')
}

/** An agent for another service: verifies its name whatever Host is sent. @param tlsDir unset: the system's authorities */
export function createHttpAgent(address: string, tlsDir: string | undefined): HttpAgent {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:') return new http.Agent({ keepAlive: true })
  const held = { keepAlive: true, minVersion: 'TLSv1.2', servername: isIP(hostname) === 0 ? hostname : '' } as const
  if (tlsDir === undefined) return new HttpsAgent(held)
  const agent = new HttpsAgent({ ...held, ...readPeer(tlsDir) })
  watchCertificate(tlsDir, () => Object.assign(agent.options, readPeer(tlsDir)))
  return agent
}
