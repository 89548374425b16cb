import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { Agent as HttpAgent, type RequestListener, type ServerOptions } from 'node:http'
import { createServer, Agent as HttpsAgent, type Server } from 'node:https'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { requireFiles } from '../config/config.ts'

const REFRESH_MS = 10_000
const TLS_1_2 = { minVersion: 'TLSv1.2' } as const

/**
 * An HTTPS server for TLS 1.2 and later whose certificate may be renewed while it runs.
 * @throws ConfigError when a file is missing
 * @param dir has `tls.crt` (with its chain) and `tls.key` (PEM), as cert-manager writes a Kubernetes Secret
 */
export function createHttpsServer(dir: string, options: ServerOptions, handler: RequestListener): Server {
  const server = createServer({ ...options, ...readServerCertificate('HTTP_TLS_DIR', dir), ...TLS_1_2 }, handler)
  renewFrom(dir, server, () => ({ ...readCertificate(dir), ...TLS_1_2 }))
  return server
}

/**
 * The same for services among themselves: whoever shows no certificate of the same authority is told of health and of nothing
 * else, since a kubelet has none to show.
 * @throws ConfigError when a file is missing
 * @param dir has `ca.crt` as well
 */
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

/** Shows what is in the folder from its next change on, whichever of the two files is written first. */
export function watchCertificate(dir: string, renew: () => void): Disposable {
  const files = [certificateFile(dir), keyFile(dir)]
  const listener = () => {
    try {
      renew()
    } catch {
      // Half written: the certificate it has goes on, and the next change is looked at again.
    }
  }
  for (const file of files) watchFile(file, { interval: REFRESH_MS, persistent: false }, listener)
  return {
    [Symbol.dispose]() {
      for (const file of files) unwatchFile(file, listener)
    },
  }
}

/** What a service shows to others, and by whom theirs must be signed. */
function readPeer(dir: string) {
  return { ...readCertificate(dir), ca: readFileSync(join(dir, 'ca.crt')) }
}

/**
 * What a server shows, and the key to it.
 * @throws ConfigError naming the setting when a file is missing
 */
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

/**
 * Keeps connections to another service that speaks HTTP. An `https` address is held to its name, whatever Host is asked for,
 * and shown this service's own certificate, which may be renewed meanwhile.
 * @param address the service, for example `https://site:8080`
 * @param tlsDir has `tls.crt`, `tls.key` and `ca.crt` (PEM); unset, the machine's own authorities are believed
 */
export function createHttpAgent(address: string, tlsDir: string | undefined): HttpAgent {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'https:') return new HttpAgent({ keepAlive: true })
  const held = { keepAlive: true, minVersion: 'TLSv1.2', servername: isIP(hostname) === 0 ? hostname : '' } as const
  if (tlsDir === undefined) return new HttpsAgent(held)
  const agent = new HttpsAgent({ ...held, ...readPeer(tlsDir) })
  watchCertificate(tlsDir, () => Object.assign(agent.options, readPeer(tlsDir)))
  return agent
}
