import type { RequestHandler } from 'express'
import type { Config } from '../config.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const EXPOSED = 'WWW-Authenticate, Mcp-Session-Id, Retry-After'
const ACCEPTED =
  'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID, Mcp-Method, Mcp-Name'

/** Whether pages of this origin may call: our own, configured ones, and loopback on a local installation. */
function isAllowedOrigin({ urls, allowedOrigins }: Pick<Config, 'urls' | 'allowedOrigins'>, origin: string): boolean {
  if ([...Object.values(urls).map((url) => new URL(url).origin), ...allowedOrigins].includes(origin)) return true
  return LOOPBACK.has(new URL(urls.api).hostname) && LOOPBACK.has(hostnameOf(origin))
}

/** Refuses pages of other origins (DNS rebinding); allowed ones may read the answer. Only browsers send Origin. */
export function refuseOtherOrigins(config: Config): RequestHandler {
  return (req, res, next) => {
    res.vary('Origin')
    const { origin } = req.headers
    if (origin === undefined) return next()
    if (!isAllowedOrigin(config, origin)) {
      res.status(403).json({
        error: {
          code: 'forbidden',
          message: 'This web origin is not allowed to call the tool server.',
          hint: 'Call from a server, or ask the operator to add your origin to ALLOWED_ORIGINS.',
        },
      })
      return
    }
    res.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED })
    if (req.method !== 'OPTIONS') return next()
    res
      .status(204)
      .set({
        'Access-Control-Allow-Methods': 'GET, POST',
        'Access-Control-Allow-Headers': ACCEPTED,
        'Access-Control-Max-Age': '600',
      })
      .end()
  }
}

function hostnameOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).hostname : ''
}
