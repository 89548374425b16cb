import type { IncomingHttpHeaders } from 'node:http'
import { createHttpAgent } from '@family-inbox/service-kit/http-agent'
import { sendAlong } from '@family-inbox/service-kit/trace/along'
import type { Request, RequestHandler, Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import type { Context } from '../context.ts'
import { clientAddress } from './client-address.ts'
import { type ErrorCode, sendError } from './error-object.ts'
import type { RecentAnswers } from './recent-answers.ts'
import type { Surface } from './surface.ts'

/** Services answer within two seconds, if only to say what is away; the public site waits for nothing. */
const PATIENCE_MS: Record<Surface, number> = { base: 1500, api: 2500, inbox: 2500 }

/**
 * Hands requests on to a service that speaks HTTP. What it learns of the caller comes from us, not from the caller's own
 * headers: the host and scheme are those of the configured address, so that nothing a service advertises can be forged.
 * @param target the service, for example `http://site:8080`
 * @param recent where answers are kept that may be given again
 */
export function proxyTo(ctx: Context, target: string, surface: Surface, recent?: RecentAnswers): RequestHandler {
  const { host, protocol } = new URL(ctx.config.urls[surface])
  const proxy = createProxyMiddleware<Request, Response>({
    target,
    agent: createHttpAgent(target, ctx.config.grpcTlsDir),
    proxyTimeout: PATIENCE_MS[surface],
    on: {
      proxyReq(outgoing, req) {
        for (const name of ['forwarded', 'x-real-ip', 'x-forwarded-port', 'x-forwarded-prefix'])
          outgoing.removeHeader(name)
        outgoing.setHeader('host', host)
        outgoing.setHeader('x-forwarded-host', host)
        outgoing.setHeader('x-forwarded-proto', protocol.slice(0, -1))
        outgoing.setHeader('x-forwarded-for', clientOf(ctx, req))
      },
      proxyRes(answer, req, res) {
        // The service has answered; from here on the pace is that of the client, as long as there is progress at all.
        answer.socket.setTimeout(ctx.config.stalledDownloadMs)
        recent?.keep(req, answer, res)
      },
      error(_error, req, res) {
        if (!('writeHead' in res) || res.headersSent) return void res.destroy()
        res.set('Retry-After', '5')
        sendError(req, res, 503, AWAY_CODE[surface], AWAY)
      },
    },
  })
  return (req, res, next) => {
    nameOurRequest(req.headers)
    return proxy(req, res, next)
  }
}

/** The service goes on with our request and our trace, whatever the caller has called its own. */
function nameOurRequest(headers: IncomingHttpHeaders): void {
  for (const name of ['x-request-id', 'traceparent', 'tracestate', 'baggage']) delete headers[name]
  sendAlong((name, value) => {
    headers[name] = value
  })
}

const AWAY = { message: 'This page is not available right now.', hint: 'Nothing was lost. Try again in a moment.' }

/** The public site's error object has a closed list of codes (SPEC "Error object"). */
const AWAY_CODE: Record<Surface, ErrorCode> = { base: 'spec_unavailable', api: 'unavailable', inbox: 'unavailable' }

function clientOf({ config }: Context, req: Request): string {
  const forwardedFor = req.headers['x-forwarded-for']
  return clientAddress(req.socket.remoteAddress ?? '', forwardedFor?.toString(), config.trustedProxies)
}
