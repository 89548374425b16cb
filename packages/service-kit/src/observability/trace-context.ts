import type { Span } from '@opentelemetry/api'
import { requestInHand } from './request.ts'

/** What goes along with a call, a message or a request to another service, so that it is known there what it is for. */
export type TraceContext = { requestId?: string; traceparent?: string }

const REQUEST_ID = 'x-request-id'
/** W3C Trace Context. */
const TRACEPARENT = 'traceparent'

/** As we make them; anything else is as good as nothing. */
const IDS = /^req_\w{16}(,req_\w{16})*$/

/** From a stranger nothing is taken: it could name another's request, or have everything traced. */
export const NOTHING: TraceContext = {}

/** Sends along what is in hand. @param set sets a header, or whatever is one there */
export function injectTraceContext(set: (name: string, value: string) => unknown): void {
  const request = requestInHand()
  if (request === undefined) return
  set(REQUEST_ID, request.id)
  if (request.span !== undefined) set(TRACEPARENT, traceparentOf(request.span))
}

/** Reads what another service has sent along. @param get gets a header, undefined or empty when it is not there */
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
