import type { RequestListener } from 'node:http'
import { type HttpServer, serveHttp } from '@family-inbox/service-kit/http/http-server'
import { continueRequests } from '@family-inbox/service-kit/observability/http-requests'
import type { Service } from '@family-inbox/service-kit/start/run'
import { isFileUpload } from '@family-inbox/workspace-kit/reply-attachments'
import express, { type RequestHandler, Router } from 'express'
import { assetRouter } from './assets/assets.ts'
import { type Config, environmentToConfig } from './config.ts'
import { type Context, createContext } from './context.ts'
import { servePublicSite } from './public/serve-public-site.ts'
import { applicationRoutes } from './routes.ts'
import { answerError } from './shell/errors.ts'
import { mountRoutes, pageNotFound } from './shell/mount-routes.ts'
import { securityHeaders } from './shell/security-headers.ts'

const KEEP_ALIVE_MS = 65_000

export const service: Service<Config> = { name: 'site', environmentToConfig, start: startSite }

export async function startSite(config: Config): Promise<HttpServer> {
  const ctx = await createContext(config)
  const publicSite = await servePublicSite(ctx)
  const { tls, plaintext } = ctx.identity.transport
  const server = await serveHttp(continueRequests(chooseHost(config, publicSite, createApp(ctx))), {
    host: config.host,
    port: config.port,
    keepAliveMs: KEEP_ALIVE_MS,
    tls,
    plaintext,
    isUpload: isFileUpload,
  })
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      ctx[Symbol.dispose]()
    },
  }
}

/** Picks the public site or the application. The gateway sets Host to a configured address; probes use any other. */
function chooseHost({ urls }: Config, publicSite: RequestListener, app: RequestListener): RequestListener {
  const baseHost = new URL(urls.base).host
  return (req, res) => (req.headers.host?.toLowerCase() === baseHost ? publicSite(req, res) : app(req, res))
}

function createApp(ctx: Context): express.Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing')
  app.use(healthRouter())
  app.use(applicationRouter(ctx))
  return app
}

function applicationRouter(ctx: Context): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const headers = securityHeaders(ctx.config)
  router.use((_req, res, next) => {
    res.set(headers)
    next()
  })
  router.use(requireHost(ctx.config))
  router.use(assetRouter(ctx.assets))
  mountRoutes(router, ctx, applicationRoutes(ctx))
  router.use(pageNotFound(ctx), answerError(ctx))
  return router
}

/** Refuses foreign hosts with 421 (RFC 9110 section 15.5.20), against DNS rebinding. */
function requireHost({ urls }: Pick<Config, 'urls'>): RequestHandler {
  const ownHost = new URL(urls.inbox).host
  return (req, res, next) => {
    if (req.headers.host?.toLowerCase() === ownHost) return next()
    const hint = 'Check the address and try again.'
    res.status(421).json({ error: { code: 'bad_request', message: 'This host is not served here.', hint } })
  }
}

/** The site is ready as soon as it listens: it can always answer, if only with an error page. */
function healthRouter(): Router {
  const router = Router()
  router.get(['/livez', '/readyz'], (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' })
  })
  return router
}
