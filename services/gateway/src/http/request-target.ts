import type { IncomingMessage } from 'node:http'

/**
 * Brings a request into the one form everything after it knows. A target in absolute form brings its own host, which counts
 * instead of the header (RFC 9112 section 3.2.2); of a request with several Host headers none counts (section 3.2). What is
 * asked of the server as a whole (section 3.2.4) is asked of its first page.
 */
export function normaliseTarget(req: IncomingMessage): void {
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
