import type { Span } from '@opentelemetry/api'
import { inRequest, joinIds, newRequestId, type RequestInHand, requestInHand } from './request.ts'
import type { TraceContext } from './trace-context.ts'
import { type Attributes, type Step, tracingInUse } from './tracing.ts'

/**
 * Names what has come from elsewhere: a call, a message, a request. It is the request its sender names, and the next step of
 * the sender's trace; from a stranger it is a new one. Whoever asks ends the step.
 */
export function beginArrival({ requestId, traceparent }: TraceContext, step: Step): RequestInHand {
  const id = requestId ?? newRequestId()
  const tracing = tracingInUse()
  if (tracing === undefined) return { id }
  const parent = traceparent === undefined ? undefined : tracing.readParent(traceparent)
  return { id, span: tracing.start(step, parent) }
}

/** Deals with what has come from elsewhere; the step ends with the work. */
export function runIncoming<T>(traceContext: TraceContext, step: Step, work: () => Promise<T>): Promise<T> {
  const { id, span } = beginArrival(traceContext, step)
  return span === undefined ? inRequest({ id }, work) : follow({ id, span }, work)
}

/** Does a part of what is in hand as a step of its trace. Where nothing is traced it is done, and that is all. */
export function takeStep<T>(step: Step, work: () => Promise<T>): Promise<T> {
  const span = startStep(step)
  if (span === undefined) return work()
  return follow({ id: requestInHand()?.id ?? '', span }, work)
}

/** Begins a step that ends somewhere else. @returns undefined where nothing is traced */
export function startStep(step: Step): Span | undefined {
  const parent = requestInHand()?.span
  return parent?.isRecording() ? tracingInUse()?.start(step, parent) : undefined
}

/** Says something of the step under way. */
export function describeStep(attributes: Attributes): void {
  requestInHand()?.span?.setAttributes(attributes)
}

/** Says that the step under way fails, and how, in a word. */
export function failStep(type: string): void {
  requestInHand()?.span?.setStatus({ code: ERROR }).setAttribute('error.type', type)
}

/** Ends what `startStep` began. @param failure how it failed, in a word, if it did */
export function endStep(span: Span | undefined, failure?: string): void {
  if (failure !== undefined) span?.setStatus({ code: ERROR }).setAttribute('error.type', failure)
  span?.end()
}

/**
 * Does what several requests wait for together. Log lines name them all. The work is in the trace of the first; the others'
 * traces have a step that is linked to it.
 */
export function handleTogether<T>(
  requests: readonly (RequestInHand | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = new Set(requests.filter((request) => request !== undefined))
  if (first === undefined || others.length === 0) return inRequest(first, work)
  const id = joinIds([first, ...others])
  const [span, ...more] = [first, ...others].flatMap((request) => (request.span?.isRecording() ? request.span : []))
  const tracing = tracingInUse()
  // Where none is recorded, the next service must hear that, too.
  if (tracing === undefined || span === undefined || more.length === 0)
    return inRequest({ id, span: span ?? first.span }, work)
  const shared = tracing.start({ ...BATCH, links: more }, span)
  const waiting = more.map((other) => tracing.start({ ...BATCH, links: [shared] }, other))
  return follow({ id, span: shared }, work).finally(() => {
    for (const each of waiting) each.end()
  })
}

const BATCH: Step = { name: 'batch', kind: 'internal' }
/** OpenTelemetry's SpanStatusCode.ERROR. */
const ERROR = 2

async function follow<T>(request: Required<RequestInHand>, work: () => Promise<T>): Promise<T> {
  try {
    const result = await inRequest(request, work)
    endStep(request.span)
    return result
  } catch (error) {
    endStep(request.span, failureOf(error))
    throw error
  }
}

/** What may be said of an error in a trace: never its message, which may quote values. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'status' in error ? String(error.status) : error.name
}
