import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Span } from '@opentelemetry/api'
import { currentRequest, newRequestId, runInRequest } from './request.ts'
import { beginIncoming, endSpan } from './spans.ts'
import { extractTraceContext, NO_TRACE_CONTEXT, type TraceContext } from './trace-context.ts'

/** Starts a request from outside: a new id, returned in `X-Request-Id`, and a new trace. Ids from the caller are ignored. */
export function startRequests(listener: RequestListener): RequestListener {
  return (req, res) =>
    deal(req, res, NO_TRACE_CONTEXT, () => {
      res.setHeader('X-Request-Id', currentRequest()?.id ?? '')
      listener(req, res)
    })
}

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
  if (isProbe(req)) return void runInRequest({ id: newRequestId() }, listen)
  const method = req.method ?? ''
  const attributes = { 'http.request.method': method }
  const request = beginIncoming(traceContext, { name: method, kind: 'server', attributes })
  const { id, span } = request
  span?.setAttribute('family_inbox.request_id', id)
  if (span !== undefined) res.once('close', () => endRequest(span, req, res))
  runInRequest(request, listen)
}

function endRequest(span: Span, req: IncomingMessage, res: ServerResponse): void {
  const route = routeOf(req)
  if (route !== undefined) span.updateName(`${req.method} ${route}`).setAttribute('http.route', route)
  span.setAttribute('http.response.status_code', res.statusCode)
  endSpan(span, failureOf(res))
}

function isProbe({ url }: IncomingMessage): boolean {
  return url === '/livez' || url === '/readyz'
}

function failureOf({ writableFinished, statusCode }: ServerResponse): string | undefined {
  if (!writableFinished) return 'aborted'
  return statusCode >= 500 ? String(statusCode) : undefined
}

/** Express's route pattern. Never the path, which may hold ids and secrets. */
function routeOf(req: IncomingMessage): string | undefined {
  const path = (req as { route?: { path?: unknown } }).route?.path
  return typeof path === 'string' ? path : undefined
}
