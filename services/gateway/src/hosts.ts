import { isLoopbackHost, reachableBy } from '@family-inbox/service-kit/http/loopback'
import { PATHS } from '@family-inbox/workspace-kit/endpoints'
import { ATTACHMENTS_TOO_LARGE, isFileUpload, MAX_UPLOAD_BYTES } from '@family-inbox/workspace-kit/reply-attachments'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Context } from './context.ts'
import { notFound, sendError } from './http/error-object.ts'
import { unknownWellKnown } from './http/well-known.ts'
import { mcpRouter } from './mcp/family/router.ts'
import { sandboxRouter } from './mcp/sandbox/endpoint.ts'
import { pipeRouter } from './pipe/endpoint.ts'
import { proxyTo } from './proxy/proxy.ts'
import type { ResponseCache } from './proxy/response-cache.ts'

/** The longest reply, percent-encoded, in any script. Most forms have a smaller limit in site. */
const MAX_FORM_BYTES = 256 * 1024
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/** `{api_url}`, with the authorization server’s metadata, which clients of MCP 2025-03-26 look for here. */
export function apiHost(ctx: Context): Router {
  const router = Router()
  router.use(pipeRouter(ctx))
  router.use(mcpRouter(ctx, 'api'))
  router.all('/.well-known/oauth-authorization-server', proxyTo(ctx, ctx.config.authHttpAddress, 'inbox'))
  router.use('/.well-known', unknownWellKnown)
  return router
}

export function baseHost(ctx: Context, responseCache: ResponseCache): Router {
  return Router().use(proxyTo(ctx, ctx.config.siteHttpAddress, 'base', { responseCache }))
}

export function inboxHost(ctx: Context): Router {
  const router = Router()
  const auth = proxyTo(ctx, ctx.config.authHttpAddress, 'inbox', { isOauth: true, refuseBody: refuseOauthBody })
  router.use('/dev', allowOnlyLocal(ctx))
  router.use(mcpRouter(ctx, 'inbox'))
  router.use(onlyWithSandbox(ctx, sandboxRouter(ctx)))
  router.all(['/oauth/*path', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'], auth)
  router.use('/.well-known', unknownWellKnown)
  // The site shows the consent page; auth gets the answer.
  router.post('/consent/:uid', proxyTo(ctx, ctx.config.authHttpAddress, 'inbox'))
  const site = proxyTo(ctx, ctx.config.siteHttpAddress, 'inbox', { maxBodyBytes: MAX_FORM_BYTES })
  const uploads = proxyTo(ctx, ctx.config.siteHttpAddress, 'inbox', {
    maxBodyBytes: MAX_UPLOAD_BYTES,
    takesUploads: true,
    refuseBody: refuseFiles,
  })
  router.use((req, res, next) => (isFileUpload(req) ? uploads : site)(req, res, next))
  return router
}

/** Asks only for its own address. */
function onlyWithSandbox({ readSwitches }: Pick<Context, 'readSwitches'>, sandbox: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    if (req.path.startsWith(PATHS.sandbox) && (await readSwitches()).hasSandbox) return sandbox(req, res, next)
    next()
  }
}

/** Developer pages show sign-in codes, so only direct requests on an installation of this machine alone get them. */
function allowOnlyLocal({ config }: Context): RequestHandler {
  const { urls, host } = config
  const isOwnMachine = reachableBy({ urls, hosts: { HTTP_HOST: host } }) === undefined
  return (req, res, next) => {
    const isDirect = FORWARDED.every((header) => req.headers[header] === undefined)
    if (isOwnMachine && isDirect && isLoopbackHost(req.socket.remoteAddress ?? '')) return next()
    notFound(req, res, next)
  }
}

function refuseFiles(req: Request, res: Response): void {
  const hint = 'Your reply was not sent. Go back, and choose smaller files.'
  sendError(req, res, 413, 'bad_request', { message: ATTACHMENTS_TOO_LARGE, hint })
}

/** An OAuth error (RFC 6749 section 5.2), which is the format clients of these paths expect. */
function refuseOauthBody(_req: Request, res: Response): void {
  const body = { error: 'invalid_request', error_description: 'The request is too large.' }
  res.status(413).set({ 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' }).json(body)
}
