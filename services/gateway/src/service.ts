import type { RequestListener } from 'node:http'
import { serveHttp } from '@family-inbox/service-kit/http/http-server'
import { startRequests } from '@family-inbox/service-kit/observability/http-requests'
import type { Service } from '@family-inbox/service-kit/start/run'
import { openTlsFolder } from '@family-inbox/service-kit/tls/tls-folder'
import { isFileUpload } from '@family-inbox/workspace-kit/reply-attachments'
import express, { type RequestHandler, type Router } from 'express'
import { type Config, environmentToConfig } from './config.ts'
import { type Context, createContext } from './context.ts'
import { apiHost, baseHost, inboxHost } from './hosts.ts'
import { answerError, notFound, sendError, UNREADABLE } from './http/error-object.ts'
import { healthRouter } from './http/health.ts'
import { normalizeTarget } from './http/request-target.ts'
import { createSurfaceOf, observeHttp, portOf, type Surface } from './http/surface.ts'
import { createResponseCache, type ResponseCache } from './proxy/response-cache.ts'

const KEEP_ALIVE_MS = 15_000

export const service: Service<Config> = { name: 'gateway', environmentToConfig, start: startGateway }

export async function startGateway(config: Config): Promise<AsyncDisposable> {
  const ctx = await createContext(config)
  const { tlsDir } = config
  const tls = tlsDir === undefined ? undefined : openTlsFolder('HTTP_TLS_DIR', tlsDir, ctx.logger)
  const handler = createHandler(ctx)
  const ports = config.port === undefined ? Object.values(config.urls).map(portOf) : [config.port]
  const servers = await Promise.all(
    [...new Set(ports)].map((port) =>
      serveHttp(handler, {
        host: config.host,
        port,
        keepAliveMs: KEEP_ALIVE_MS,
        tls,
        plaintext: config.tlsStep !== undefined,
        asksForBodies: true,
        maxPerAddress: config.maxConnectionsPerPeer,
        isUpload: isFileUpload,
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

/** Serves cached public pages before anything else sees the request. Every other request gets an id that all logs share. */
function createHandler(ctx: Context): RequestListener {
  const responseCache = createResponseCache()
  const handle = startRequests(createApp(ctx, responseCache))
  return (req, res) => {
    normalizeTarget(req)
    if (!responseCache.replay(req, res)) handle(req, res)
  }
}

function createApp(ctx: Context, responseCache: ResponseCache): express.Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing')
  app.use(securityHeaders(ctx.config))
  app.use(healthRouter(ctx.health))
  app.use(chooseHost(ctx, { base: baseHost(ctx, responseCache), api: apiHost(ctx), inbox: inboxHost(ctx) }))
  app.use(notFound, answerError(ctx.logger))
  return app
}

/** Routes by Host. An unknown Host gets 421 (RFC 9110 section 15.5.20); none or several get 400 (RFC 9112 section 3.2). */
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
    const words = { message: 'This host is not served here.', hint: 'Check the host name in the address.' }
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
