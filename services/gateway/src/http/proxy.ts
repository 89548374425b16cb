import { Agent } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import type { Context } from '../context.ts'
import { clientAddress } from './client-address.ts'
import { errorObject } from './error-object.ts'
import type { Surface } from './surface.ts'

const PATIENCE_MS = 5000
/** How long a client may take nothing of an answer that has begun. */
const DOWNLOAD_PATIENCE_MS = 10 * 60_000

/**
 * Hands requests on to a service that speaks HTTP. What it learns of the caller comes from us, not from the caller's own
 * headers: the host and scheme are those of the configured address, so that nothing a service advertises can be forged.
 * @param target the service, for example `http://site:8080`
 */
export function proxyTo(ctx: Context, target: string, surface: Surface): RequestHandler {
  const { host, protocol } = new URL(ctx.config.urls[surface])
  return createProxyMiddleware<Request, Response>({
    target,
    agent: new Agent({ keepAlive: true }),
    proxyTimeout: PATIENCE_MS,
    on: {
      proxyReq(outgoing, req) {
        for (const name of ['forwarded', 'x-real-ip', 'x-forwarded-port', 'x-forwarded-prefix'])
          outgoing.removeHeader(name)
        outgoing.setHeader('host', host)
        outgoing.setHeader('x-forwarded-host', host)
        outgoing.setHeader('x-forwarded-proto', protocol.slice(0, -1))
        outgoing.setHeader('x-forwarded-for', clientOf(ctx, req))
      },
      proxyRes(incoming) {
        // The service has answered; from here on the pace is that of the client, who may be on a slow line.
        incoming.socket.setTimeout(DOWNLOAD_PATIENCE_MS)
      },
      error(_error, _req, res) {
        if (!('writeHead' in res) || res.headersSent) return void res.destroy()
        res.writeHead(503, { 'content-type': 'application/json', 'cache-control': 'no-store', 'retry-after': '5' })
        res.end(JSON.stringify(AWAY))
      },
    },
  })
}

const AWAY = errorObject(
  'unavailable',
  'This page is not available right now.',
  'Nothing was lost. Try again in a moment.',
)

function clientOf({ config }: Context, req: Request): string {
  const forwardedFor = req.headers['x-forwarded-for']
  return clientAddress(req.socket.remoteAddress ?? '', forwardedFor?.toString(), config.trustedProxies)
}
