import type { RequestListener } from 'node:http'
import { type HttpServer, serveHttp } from '@family-inbox/service-kit/http-server'
import { continueRequests } from '@family-inbox/service-kit/trace/http-requests'
import express from 'express'
import type { Config } from './config.ts'
import { type Context, createContext } from './context.ts'
import { applicationHost } from './hosts/application.ts'
import { healthRouter } from './http/health.ts'
import { makePublicAnswers } from './public/make-answers.ts'
import { servePublic } from './public/serve.ts'

const KEEP_ALIVE_MS = 65_000

/** Starts the site: every page a person sees. It speaks HTTP to the gateway and gRPC to the other services. */
export async function startSite(config: Config): Promise<HttpServer> {
  const ctx = await createContext(config)
  const publicSite = servePublic(config, await makePublicAnswers(config, ctx.assets, ctx.logger))
  const server = await serveHttp(continueRequests(chooseHost(config, publicSite, createApp(ctx))), {
    host: config.host,
    port: config.port,
    keepAliveMs: KEEP_ALIVE_MS,
    mutualTlsDir: config.grpcTlsDir,
  })
  return {
    port: server.port,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      ctx[Symbol.dispose]()
    },
  }
}

/** Which pages are asked for. The gateway sets Host to that of the configured address; probes come by any other. */
function chooseHost({ urls }: Config, publicSite: RequestListener, app: RequestListener): RequestListener {
  const baseHost = new URL(urls.base).host
  return (req, res) => (req.headers.host?.toLowerCase() === baseHost ? publicSite(req, res) : app(req, res))
}

function createApp(ctx: Context): express.Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing')
  app.use(healthRouter())
  app.use(applicationHost(ctx))
  return app
}
