import type { IncomingMessage } from 'node:http'

/** RFC 9112: an absolute target replaces Host (3.2.2), several Hosts are dropped (3.2), `OPTIONS *` is `/` (3.2.4). */
export function normalizeTarget(req: IncomingMessage): void {
  if (countHosts(req.rawHeaders) > 1) delete req.headers.host
  if (req.url?.startsWith('/')) return
  if (req.url === '*' && req.method === 'OPTIONS') req.url = '/'
  const [, host, target] = /^https?:\/\/([^/?#]*)(.*)/is.exec(req.url ?? '') ?? []
  if (target === undefined) return
  req.headers.host = host
  req.url = target.startsWith('/') ? target : `/${target}`
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') count += 1
  return count
}
