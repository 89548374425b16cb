import type { ClientRequest, IncomingMessage } from 'node:http'
import { requestBody } from '@family-inbox/service-kit/http/http-server'
import { createHttpAgent } from '@family-inbox/service-kit/http/https-server'
import type { Request, RequestHandler, Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import type { Context } from '../context.ts'
import { clientAddressOf } from './client-address.ts'
import { type ErrorCode, sendError } from './error-object.ts'
import type { RecentAnswers } from './recent-answers.ts'
import type { Surface } from './surface.ts'
import { replaceHeaders } from './trusted-headers.ts'

/** Services answer within two seconds, if only to say what is away; the public site waits for nothing. */
const PATIENCE_MS: Record<Surface, number> = { base: 1500, api: 2500, inbox: 2500 }
/** More than any form or OAuth request needs; the services have smaller limits of their own. */
const MAX_BODY_BYTES = 64 * 1024

export type ProxyOptions = {
  /** Where answers are kept that may be given again. */
  recent?: RecentAnswers
  /** Answers 413 to a body that is too large. */
  refuseBody?: (req: Request, res: Response) => void
}

/**
 * Hands requests on to a service that speaks HTTP. What it learns of the caller comes from us, not from the caller's own
 * headers: the host and scheme are those of the configured address, so that nothing a service advertises can be forged.
 * An Upgrade is ignored, as HTTP allows (RFC 9110 section 7.8): no service behind the gateway has a use for one.
 * @param target the service, for example `http://site:8080`
 */
export function proxyTo(
  ctx: Context,
  target: string,
  surface: Surface,
  { recent, refuseBody = refuseLargeBody }: ProxyOptions = {},
): RequestHandler {
  const publicUrl = ctx.config.urls[surface]
  const refuse = (req: Request, res: Response) => {
    if (res.headersSent) return void res.destroy()
    refuseBody(req, res)
  }
  const proxy = createProxyMiddleware<Request, Response>({
    target,
    agent: createHttpAgent(target, ctx.config.grpcTlsDir),
    proxyTimeout: PATIENCE_MS[surface],
    on: {
      proxyReq(outgoing, req, res) {
        limitBody(req, outgoing, () => refuse(req, res))
      },
      proxyRes(answer, req, res) {
        // The service has answered; from here on the pace is that of the client, as long as there is progress at all.
        answer.socket.setTimeout(ctx.config.stalledDownloadMs)
        keepConnectionOurs(answer, res)
        recent?.keep(req, answer, res)
      },
      error(_error, req, res) {
        if (!('writeHead' in res)) return void res.destroy()
        if (res.writableEnded) return
        if (res.headersSent) return void res.destroy()
        res.set('Retry-After', '5')
        sendError(req, res, 503, AWAY_CODE[surface], AWAY)
      },
    },
  })
  return (req, res, next) => {
    if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refuse(req, res)
    replaceHeaders(req, { publicUrl, clientAddress: clientAddressOf(req, ctx.config.trustedProxies) })
    requestBody(req, res)
    return proxy(req, res, next)
  }
}

/** Ends the request to the service when its body, whose length was not announced, turns out too large. */
function limitBody(req: IncomingMessage, outgoing: ClientRequest, refuse: () => void): void {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) return
    req.off('data', count)
    req.unpipe(outgoing)
    refuse()
    outgoing.destroy()
  }
  req.on('data', count)
}

/** How long the client's connection lives is between the client and the gateway, whatever the service does with its own. */
function keepConnectionOurs({ headers }: IncomingMessage, res: Response): void {
  for (const name of ['keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']) delete headers[name]
  headers.connection = res.shouldKeepAlive ? 'keep-alive' : 'close'
}

function refuseLargeBody(req: Request, res: Response): void {
  const message = `The body is larger than ${MAX_BODY_BYTES / 1024} KB.`
  sendError(req, res, 413, 'bad_request', { message, hint: 'Nothing was changed. Send less at a time.' })
}

const AWAY = { message: 'This page is not available right now.', hint: 'Nothing was lost. Try again in a moment.' }

/** The public site's error object has a closed list of codes (SPEC "Error object"). */
const AWAY_CODE: Record<Surface, ErrorCode> = { base: 'spec_unavailable', api: 'unavailable', inbox: 'unavailable' }
