import { type Request, type Response, Router } from 'express'
import type { Context } from '../context.ts'
import { proxyTo } from '../http/proxy.ts'
import { unknownWellKnown } from '../http/well-known.ts'
import { mcpRouter } from '../mcp/router.ts'
import { sandboxRouter } from '../mcp/sandbox/router.ts'

/**
 * `{inbox_url}`: the application, the authorization server, the family tool server under its second address, and the public
 * sandbox endpoint.
 */
export function inboxHost(ctx: Context): Router {
  const router = Router()
  const auth = proxyTo(ctx, ctx.config.authHttpAddress, 'inbox', { refuseBody: refuseOauthBody })
  router.use(mcpRouter(ctx, 'inbox'))
  router.use(sandboxRouter(ctx))
  router.all(['/oauth/*path', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'], auth)
  router.use('/.well-known', unknownWellKnown)
  router.use(proxyTo(ctx, ctx.config.siteHttpAddress, 'inbox'))
  return router
}

/** In the form of an OAuth error (RFC 6749 section 5.2), which clients of these addresses read. */
function refuseOauthBody(_req: Request, res: Response): void {
  const body = { error: 'invalid_request', error_description: 'the request is too large' }
  res.status(413).set({ 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' }).json(body)
}
