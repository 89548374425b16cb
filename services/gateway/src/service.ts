import type { RequestListener } from 'node:http'
import { serveHttp } from '@family-inbox/service-kit/http/http-server'
import { startRequests } from '@family-inbox/service-kit/observability/http-requests'
import express, { type RequestHandler, type Router } from 'express'
import type { Config } from './config.ts'
import { type Context, createContext } from './context.ts'
import { apiHost, baseHost, inboxHost } from './hosts.ts'
import { answerError, notFound, sendError, UNREADABLE } from './http/error-object.ts'
import { healthRouter } from './http/health.ts'
import { createRecentAnswers, type RecentAnswers } from './http/recent-answers.ts'
import { normaliseTarget } from './http/request-target.ts'
import { createSurfaceOf, observeHttp, portOf, type Surface } from './http/surface.ts'

const KEEP_ALIVE_MS = 15_000

/** Starts the gateway on the port of each public address, or on one port for all three. */
export async function startGateway(config: Config): Promise<AsyncDisposable> {
  const ctx = await createContext(config)
  const handler = createHandler(ctx)
  const ports = config.port === undefined ? Object.values(config.urls).map(portOf) : [config.port]
  const servers = await Promise.all(
    [...new Set(ports)].map((port) =>
      serveHttp(handler, {
        host: config.host,
        port,
        keepAliveMs: KEEP_ALIVE_MS,
        tlsDir: config.tlsDir,
        asksForBodies: true,
        maxPerAddress: config.connectionsPerAddress,
      }),
    ),
  )
  return {
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
      ctx[Symbol.dispose]()
    },
  }
}

/**
 * What the public site answered a moment ago is answered before anything else looks at the request. Every other request has an
 * id of its own, by which its lines in all logs are found.
 */
function createHandler(ctx: Context): RequestListener {
  const recent = createRecentAnswers()
  const handle = startRequests(createApp(ctx, recent))
  return (req, res) => {
    normaliseTarget(req)
    if (!recent.replay(req, res)) handle(req, res)
  }
}

function createApp(ctx: Context, recent: RecentAnswers): express.Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing')
  app.use(securityHeaders(ctx.config))
  app.use(healthRouter(ctx))
  app.use(chooseHost(ctx, { base: baseHost(ctx, recent), api: apiHost(ctx), inbox: inboxHost(ctx) }))
  app.use(notFound, answerError(ctx.logger))
  return app
}

/**
 * Hands the request to the address it is for; a Host that is not ours is answered 421 (RFC 9110 section 15.5.20), and none,
 * or several, 400 (RFC 9112 section 3.2).
 */
function chooseHost({ config }: Context, hosts: Record<Surface, Router>): RequestHandler {
  const surfaceOf = createSurfaceOf(config.urls)
  return (req, res, next) => {
    const { host } = req.headers
    const surface = surfaceOf(host, req.socket.localPort)
    if (surface !== undefined) {
      observeHttp(surface, res)
      return hosts[surface](req, res, next)
    }
    if (host === undefined) return sendError(req, res, 400, 'bad_request', UNREADABLE)
    const words = { message: 'This host is not served here.', hint: 'Use the address you were given.' }
    sendError(req, res, 421, 'bad_request', words)
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
