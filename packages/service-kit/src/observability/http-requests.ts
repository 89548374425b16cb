import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Span } from '@opentelemetry/api'
import { inRequest, newRequestId, requestInHand } from './request.ts'
import { beginArrival, endStep } from './steps.ts'
import { extractTraceContext, NOTHING, type TraceContext } from './trace-context.ts'

/**
 * Makes each request from outside one of ours: with an id that is made here and told in `X-Request-Id`, and a trace that begins
 * here. What the caller says of either is not listened to.
 */
export function beginRequests(listener: RequestListener): RequestListener {
  return (req, res) =>
    deal(req, res, NOTHING, () => {
      res.setHeader('X-Request-Id', requestInHand()?.id ?? '')
      listener(req, res)
    })
}

/** Goes on with requests that the gateway has handed over. */
export function continueRequests(listener: RequestListener): RequestListener {
  return (req, res) =>
    deal(
      req,
      res,
      extractTraceContext((name) => req.headers[name]),
      () => listener(req, res),
    )
}

function deal(req: IncomingMessage, res: ServerResponse, traceContext: TraceContext, listen: () => void): void {
  if (isProbe(req)) return void inRequest({ id: newRequestId() }, listen)
  const method = req.method ?? ''
  const attributes = { 'http.request.method': method }
  const request = beginArrival(traceContext, { name: method, kind: 'server', attributes })
  const { id, span } = request
  span?.setAttribute('family_inbox.request_id', id)
  if (span !== undefined) res.once('close', () => endRequest(span, req, res))
  inRequest(request, listen)
}

function endRequest(span: Span, req: IncomingMessage, res: ServerResponse): void {
  const route = routeOf(req)
  if (route !== undefined) span.updateName(`${req.method} ${route}`).setAttribute('http.route', route)
  span.setAttribute('http.response.status_code', res.statusCode)
  endStep(span, failureOf(res))
}

function isProbe({ url }: IncomingMessage): boolean {
  return url === '/livez' || url === '/readyz'
}

function failureOf({ writableFinished, statusCode }: ServerResponse): string | undefined {
  if (!writableFinished) return 'aborted'
  return statusCode >= 500 ? String(statusCode) : undefined
}

/** The pattern of the route that Express found, never the path itself, which may hold ids and secrets. */
function routeOf(req: IncomingMessage): string | undefined {
  const path = (req as { route?: { path?: unknown } }).route?.path
  return typeof path === 'string' ? path : undefined
}
