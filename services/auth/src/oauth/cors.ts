import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Allows any origin. These paths ignore cookies, so a page gains nothing. Overrides oidc-provider's narrower rules.
 * @returns true when the request was a preflight and has been answered
 */
export function allowAnyOrigin(req: IncomingMessage, res: ServerResponse): boolean {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After')
  if (req.method !== 'OPTIONS') return false
  res.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version',
    'Access-Control-Max-Age': '3600',
  })
  res.end()
  return true
}
