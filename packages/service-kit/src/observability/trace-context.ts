import type { Span } from '@opentelemetry/api'
import { currentRequest } from './request.ts'

export type TraceContext = { requestId?: string; traceparent?: string }

const REQUEST_ID = 'x-request-id'
const TRACEPARENT = 'traceparent'

const IDS = /^req_\w{16}(,req_\w{16})*$/

/** Nothing is accepted from outside: it could name another's request, or force tracing. */
export const NO_TRACE_CONTEXT: TraceContext = {}

export function injectTraceContext(set: (name: string, value: string) => unknown): void {
  const request = currentRequest()
  if (request === undefined) return
  set(REQUEST_ID, request.id)
  if (request.span !== undefined) set(TRACEPARENT, traceparentOf(request.span))
}

export function extractTraceContext(get: (name: string) => unknown): TraceContext {
  const requestId = get(REQUEST_ID)
  const traceparent = get(TRACEPARENT)
  return {
    requestId: typeof requestId === 'string' && IDS.test(requestId) ? requestId : undefined,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
  }
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
