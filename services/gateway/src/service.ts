import { serveHttp } from '@family-inbox/service-kit/http-server'
import express, { type RequestHandler, type Router } from 'express'
import type { Config } from './config.ts'
import { type Context, createContext } from './context.ts'
import { apiHost } from './hosts/api.ts'
import { baseHost } from './hosts/base.ts'
import { inboxHost } from './hosts/inbox.ts'
import { answerError, errorObject, notFound } from './http/error-object.ts'
import { healthRouter } from './http/health.ts'
import { portOf, type Surface, surfaceOf } from './http/surface.ts'

const KEEP_ALIVE_MS = 15_000

/** Starts the gateway on the port of each public address, or on one port for all three. */
export async function startGateway(config: Config): Promise<AsyncDisposable> {
  const ctx = await createContext(config)
  const app = createApp(ctx)
  const ports = config.port === undefined ? Object.values(config.urls).map(portOf) : [config.port]
  const servers = await Promise.all(
    [...new Set(ports)].map((port) =>
      serveHttp(app, { host: config.host, port, keepAliveMs: KEEP_ALIVE_MS, tlsDir: config.tlsDir }),
    ),
  )
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
      ctx[Symbol.dispose]()
    },
  }
}

function createApp(ctx: Context): express.Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing')
  app.use(healthRouter(ctx))
  app.use(securityHeaders(ctx.config))
  app.use(chooseHost(ctx, { base: baseHost(ctx), api: apiHost(ctx), inbox: inboxHost(ctx) }))
  app.use(notFound, answerError(ctx.logger))
  return app
}

/** Hands the request to the address it is for; a Host that is not ours is answered 421 (RFC 9110 section 15.5.20). */
function chooseHost(ctx: Context, hosts: Record<Surface, Router>): RequestHandler {
  return (req, res, next) => {
    const surface = surfaceOf(ctx.config.urls, req.headers.host, req.socket.localPort)
    if (surface !== undefined) return hosts[surface](req, res, next)
    res.status(421).json(errorObject('bad_request', 'This host is not served here.', 'Use the address you were given.'))
  }
}

function securityHeaders({ urls }: Config): RequestHandler {
  const isHttps = Object.values(urls).some((url) => url.startsWith('https:'))
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff')
    if (isHttps) res.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
    next()
  }
}
