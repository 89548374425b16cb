import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { requireFiles } from './config.ts'

const REFRESH_MS = 10_000

/**
 * An HTTPS server for TLS 1.2 and later whose certificate may be renewed while it runs.
 * @throws ConfigError when a file is missing
 * @param dir has `tls.crt` (with its chain) and `tls.key` (PEM), as cert-manager writes a Kubernetes Secret
 */
export function createHttpsServer(dir: string, options: ServerOptions, handler: RequestListener): Server {
  requireFiles('HTTP_TLS_DIR', dir, ['tls.crt', 'tls.key'])
  const server = createServer({ ...options, ...readCertificate(dir), minVersion: 'TLSv1.2' }, handler)
  const renew = () => {
    try {
      server.setSecureContext({ ...readCertificate(dir), minVersion: 'TLSv1.2' })
    } catch {
      // Half written: the certificate it has goes on, and the next change is looked at again.
    }
  }
  const file = certificateFile(dir)
  watchFile(file, { interval: REFRESH_MS, persistent: false }, renew)
  server.once('close', () => unwatchFile(file, renew))
  return server
}

function readCertificate(dir: string) {
  return { cert: readFileSync(certificateFile(dir)), key: readFileSync(join(dir, 'tls.key')) }
}

function certificateFile(dir: string): string {
  return join(dir, 'tls.crt')
}
