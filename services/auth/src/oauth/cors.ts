import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Lets pages of any origin register, ask for tokens and read metadata, as clients in a browser do. No cookie counts at these
 * addresses, so there is nothing a page could borrow. Headers set here switch oidc-provider's own, narrower rules off.
 * @returns whether the request was a preflight, and is answered
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
