import type { IncomingMessage } from 'node:http'

/** Sets the host headers to the issuer. oidc-provider builds URLs from them, and the caller controls what arrives. */
export function pinAddress(issuer: string, req: IncomingMessage): void {
  const { host, protocol } = new URL(issuer)
  for (const name of ['forwarded', 'x-forwarded-port', 'x-forwarded-prefix', ':authority']) delete req.headers[name]
  req.headers.host = host
  req.headers['x-forwarded-host'] = host
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
}
