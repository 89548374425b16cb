import { isLoopbackHost, reachableBy } from '@family-inbox/service-kit/http/loopback'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Context } from './context.ts'
import { notFound } from './http/error-object.ts'
import { proxyTo } from './http/proxy.ts'
import type { RecentAnswers } from './http/recent-answers.ts'
import { unknownWellKnown } from './http/well-known.ts'
import { mcpRouter } from './mcp/router.ts'
import { sandboxRouter } from './mcp/sandbox/endpoint.ts'
import { pipeRouter } from './pipe/endpoint.ts'

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

/** `{base_url}`: the public site. */
export function baseHost(ctx: Context, recent: RecentAnswers): Router {
  return Router().use(proxyTo(ctx, ctx.config.siteHttpAddress, 'base', { recent }))
}

/**
 * `{inbox_url}`: the application, the authorization server, the family tool server under its second address, and the public
 * sandbox endpoint.
 */
export function inboxHost(ctx: Context): Router {
  const router = Router()
  const auth = proxyTo(ctx, ctx.config.authHttpAddress, 'inbox', { refuseBody: refuseOauthBody })
  router.use('/dev', onOwnMachineOnly(ctx))
  router.use(mcpRouter(ctx, 'inbox'))
  router.use(sandboxRouter(ctx))
  router.all(['/oauth/*path', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'], auth)
  router.use('/.well-known', unknownWellKnown)
  router.use(proxyTo(ctx, ctx.config.siteHttpAddress, 'inbox'))
  return router
}

/**
 * What is for developers shows sign-in codes. It is not there unless this installation is reached from this machine alone, and
 * then only for who asks from this machine: a tunnel or proxy that runs beside it says in a header for whom it asks.
 */
function onOwnMachineOnly({ config }: Context): RequestHandler {
  const { urls, host } = config
  const isOwnMachine = reachableBy({ urls, hosts: { HTTP_HOST: host } }) === undefined
  return (req, res, next) => {
    const isDirect = FORWARDED.every((header) => req.headers[header] === undefined)
    if (isOwnMachine && isDirect && isLoopbackHost(req.socket.remoteAddress ?? '')) return next()
    notFound(req, res, next)
  }
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** In the form of an OAuth error (RFC 6749 section 5.2), which clients of these addresses read. */
function refuseOauthBody(_req: Request, res: Response): void {
  const body = { error: 'invalid_request', error_description: 'the request is too large' }
  res.status(413).set({ 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' }).json(body)
}
