import { Router } from 'express'
import type { Context } from '../context.ts'
import { proxyTo } from '../http/proxy.ts'
import { unknownWellKnown } from '../http/well-known.ts'
import { mcpRouter } from '../mcp/router.ts'
import { pipeRouter } from '../pipe/router.ts'

/**
 * `{api_url}`: the family tool server, and the event pipe. Clients of MCP 2025-03-26 look for the authorization server on this host, so its
 * metadata is answered here as well; every address in it is on `{inbox_url}`.
 */
export function apiHost(ctx: Context): Router {
  const router = Router()
  router.use(pipeRouter(ctx))
  router.use(mcpRouter(ctx, 'api'))
  router.all('/.well-known/oauth-authorization-server', proxyTo(ctx, ctx.config.authHttpAddress, 'inbox'))
  router.use('/.well-known', unknownWellKnown)
  return router
}
