import type { IncomingMessage } from 'node:http'

/**
 * Makes the request's address the configured one. oidc-provider builds every address it advertises from the Host and
 * X-Forwarded-* headers, and whoever calls writes those; the issuer does not depend on who asks.
 */
export function pinAddress(issuer: string, req: IncomingMessage): void {
  const { host, protocol } = new URL(issuer)
  for (const name of ['forwarded', 'x-forwarded-port', 'x-forwarded-prefix', ':authority']) delete req.headers[name]
  req.headers.host = host
  req.headers['x-forwarded-host'] = host
  req.headers['x-forwarded-proto'] = protocol.slice(0, -1)
}
