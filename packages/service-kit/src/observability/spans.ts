import type { Span } from '@opentelemetry/api'
import { currentRequest, joinRequestIds, newRequestId, type RequestContext, runInRequest } from './request.ts'
import type { TraceContext } from './trace-context.ts'
import { type Attributes, activeTracing, type SpanOptions } from './tracing.ts'

/** Continues the sender's request and trace, or starts new ones. The caller ends the span. */
export function beginIncoming({ requestId, traceparent }: TraceContext, step: SpanOptions): RequestContext {
  const id = requestId ?? newRequestId()
  const tracing = activeTracing()
  if (tracing === undefined) return { id }
  const parent = traceparent === undefined ? undefined : tracing.readParent(traceparent)
  return { id, span: tracing.start(step, parent) }
}

export function runIncoming<T>(traceContext: TraceContext, step: SpanOptions, work: () => Promise<T>): Promise<T> {
  const { id, span } = beginIncoming(traceContext, step)
  return span === undefined ? runInRequest({ id }, work) : follow({ id, span }, work)
}

export function withSpan<T>(step: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = startSpan(step)
  if (span === undefined) return work()
  return follow({ id: currentRequest()?.id ?? '', span }, work)
}

/** Starts a span that is ended elsewhere. @returns undefined when tracing is off */
export function startSpan(step: SpanOptions): Span | undefined {
  const parent = currentRequest()?.span
  return parent?.isRecording() ? activeTracing()?.start(step, parent) : undefined
}

export function setSpanAttributes(attributes: Attributes): void {
  currentRequest()?.span?.setAttributes(attributes)
}

export function failSpan(type: string): void {
  currentRequest()?.span?.setStatus({ code: ERROR }).setAttribute('error.type', type)
}

/** Ends what `startSpan` began. @param failure one word, if it failed */
export function endSpan(span: Span | undefined, failure?: string): void {
  if (failure !== undefined) span?.setStatus({ code: ERROR }).setAttribute('error.type', failure)
  span?.end()
}

/** Runs work that several requests wait for. The span belongs to the first trace; the other traces link to it. */
export function runShared<T>(requests: readonly (RequestContext | undefined)[], work: () => Promise<T>): Promise<T> {
  const [first, ...others] = new Set(requests.filter((request) => request !== undefined))
  if (first === undefined || others.length === 0) return runInRequest(first, work)
  const id = joinRequestIds([first, ...others])
  const [span, ...more] = [first, ...others].flatMap((request) => (request.span?.isRecording() ? request.span : []))
  const tracing = activeTracing()
  // If none is recorded, the next service must see that, too.
  if (tracing === undefined || span === undefined || more.length === 0)
    return runInRequest({ id, span: span ?? first.span }, work)
  const shared = tracing.start({ ...BATCH, links: more }, span)
  const waiting = more.map((other) => tracing.start({ ...BATCH, links: [shared] }, other))
  return follow({ id, span: shared }, work).finally(() => {
    for (const each of waiting) each.end()
  })
}

const BATCH: SpanOptions = { name: 'batch', kind: 'internal' }
const ERROR = 2

async function follow<T>(request: Required<RequestContext>, work: () => Promise<T>): Promise<T> {
  try {
    const result = await runInRequest(request, work)
    endSpan(request.span)
    return result
  } catch (error) {
    endSpan(request.span, failureOf(error))
    throw error
  }
}

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'status' in error ? String(error.status) : error.name
}
