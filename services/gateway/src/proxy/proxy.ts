import type { ClientRequest, IncomingMessage } from 'node:http'
import { answerBeforeBody, requestBody } from '@family-inbox/service-kit/http/http-server'
import { createHttpAgent } from '@family-inbox/service-kit/http/https-server'
import type { Request, RequestHandler, Response } from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import type { Context } from '../context.ts'
import { clientAddressOf } from '../http/client-address.ts'
import { type ErrorCode, sendError } from '../http/error-object.ts'
import type { Surface } from '../http/surface.ts'
import { limitRequests, recognizeSession } from './limit-requests.ts'
import type { ResponseCache } from './response-cache.ts'
import { replaceHeaders } from './trusted-headers.ts'

/** Services answer within two seconds even when their stores are down; the public site needs no store. */
const TIMEOUT_MS: Record<Surface, number> = { base: 1500, api: 2500, inbox: 2500 }
/** A phone that uploads files may lose its connection for a moment. */
const UPLOAD_TIMEOUT_MS = 20_000
const MAX_BODY_BYTES = 64 * 1024

type ProxyOptions = {
  responseCache?: ResponseCache
  /** Default: 64 KB. */
  maxBodyBytes?: number
  takesUploads?: true
  isOauth?: true
  refuseBody?: (req: Request, res: Response) => void
}

/** Proxies to a service. It sees the configured host and scheme, so it never advertises a forged address. */
export function proxyTo(ctx: Context, target: string, surface: Surface, options: ProxyOptions = {}): RequestHandler {
  const { responseCache, maxBodyBytes = MAX_BODY_BYTES, refuseBody = refuseLargeBody(maxBodyBytes) } = options
  const publicUrl = ctx.config.urls[surface]
  const refuse = (req: Request, res: Response) => {
    if (res.headersSent) return void res.destroy()
    answerBeforeBody(req, res)
    refuseBody(req, res)
  }
  const proxy = createProxyMiddleware<Request, Response>({
    target,
    agent: createHttpAgent(target, ctx.identity.transport.tls),
    proxyTimeout: options.takesUploads ? UPLOAD_TIMEOUT_MS : TIMEOUT_MS[surface],
    on: {
      proxyReq(outgoing, req, res) {
        limitBody(req, outgoing, maxBodyBytes, () => refuse(req, res))
      },
      proxyRes(answer, req, res) {
        // The service has answered, so the client sets the pace as long as it makes progress.
        answer.socket.setTimeout(ctx.config.stalledDownloadMs)
        replaceConnectionHeaders(answer, res)
        recognizeSession(ctx, answer, res)
        responseCache?.keep(req, answer, res)
      },
      error(_error, req, res) {
        if (!('writeHead' in res)) return void res.destroy()
        if (res.writableEnded) return
        if (res.headersSent) return void res.destroy()
        res.set('Retry-After', '5')
        const hint = ['GET', 'HEAD'].includes(req.method) ? 'Nothing was lost. Try again in a moment.' : CHECK_FIRST
        sendError(req, res, 503, UNAVAILABLE_CODE[surface], { message: 'This page is not available right now.', hint })
      },
    },
  })
  const limit = limitRequests(ctx, surface, options.isOauth)
  const forward: RequestHandler = (req, res, next) => {
    if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) return refuse(req, res)
    replaceHeaders(req, { publicUrl, clientAddress: clientAddressOf(req, ctx.config.trustedProxies) })
    requestBody(req, res)
    return proxy(req, res, next)
  }
  return (req, res, next) => limit(req, res, () => forward(req, res, next))
}

function limitBody(req: IncomingMessage, outgoing: ClientRequest, maxBytes: number, refuse: () => void): void {
  let bytes = 0
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) return
    req.off('data', count)
    req.unpipe(outgoing)
    refuse()
    outgoing.destroy()
  }
  req.on('data', count)
}

/** Hop-by-hop headers of the service do not apply to the client's connection. */
function replaceConnectionHeaders({ headers }: IncomingMessage, res: Response): void {
  for (const name of ['keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']) delete headers[name]
  headers.connection = res.shouldKeepAlive ? 'keep-alive' : 'close'
}

function refuseLargeBody(maxBytes: number) {
  const message = `The body is larger than ${maxBytes / 1024} KB.`
  return (req: Request, res: Response) =>
    sendError(req, res, 413, 'bad_request', { message, hint: 'Nothing was changed. Send a smaller body.' })
}

/** A service that does not answer may have done what it was asked to. */
const CHECK_FIRST = 'Try again in a moment. If you were sending something, check first whether it went through.'

/** The public site's error object has a closed list of codes (SPEC "Error object"). */
const UNAVAILABLE_CODE: Record<Surface, ErrorCode> = {
  base: 'spec_unavailable',
  api: 'unavailable',
  inbox: 'unavailable',
}
