import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Agent as HttpAgent, RequestListener, ServerOptions } from 'node:http'
import { createServer, Agent as HttpsAgent, type Server } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { requireFiles } from '../config/config.ts'
import { exportCertificateEnd } from '../observability/certificate-metrics.ts'

/** Loaded late: see http-server.ts. */
const http = process.getBuiltinModule('node:http')

const REFRESH_MS = 10_000
const TLS_1_2 = { minVersion: 'TLSv1.2' } as const

/** TLS 1.2 or later; reloads changed files. @throws ConfigError @param dir has `tls.crt` (with its chain) and `tls.key` (PEM) */
export function createHttpsServer(dir: string, options: ServerOptions, handler: RequestListener): Server {
  const server = createServer({ ...options, ...readServerCertificate('HTTP_TLS_DIR', dir), ...TLS_1_2 }, handler)
  exportCertificateEnd('HTTP_TLS_DIR', dir)
  renewFrom(dir, server, () => ({ ...readCertificate(dir), ...TLS_1_2 }))
  return server
}

/** The same for services. Without our certificate only health paths respond, for the kubelet. @param dir has `ca.crt` as well */
export function createMutualHttpsServer(dir: string, options: ServerOptions, handler: RequestListener): Server {
  requireFiles('GRPC_TLS_DIR', dir, ['tls.crt', 'tls.key', 'ca.crt'])
  const asked = { requestCert: true, rejectUnauthorized: false }
  const server = createServer({ ...options, ...readPeer(dir), ...asked, ...TLS_1_2 }, (req, res) => {
    if ((req.socket as TLSSocket).authorized || HEALTH.has(req.url ?? '')) return handler(req, res)
    res.writeHead(403, { connection: 'close' }).end()
  })
  renewFrom(dir, server, () => ({ ...readPeer(dir), ...TLS_1_2 }))
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

function renewFrom(dir: string, server: Server, read: () => ReturnType<typeof readCertificate>): void {
  const watch = watchCertificate(dir, () => server.setSecureContext(read()))
  server.once('close', () => watch[Symbol.dispose]())
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
