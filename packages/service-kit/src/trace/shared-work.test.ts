import type { Span } from '@opentelemetry/api'
import test from 'ava'
import { inRequest, requestInHand } from '../observability/request.ts'
import { handleTogether, takeStep } from '../observability/steps.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import { type Step, traceBy } from '../observability/tracing.ts'

/** Traces as OpenTelemetry would, into this list. */
type Recorded = Span & { step: Step; parent?: Recorded; ended: boolean }
const recorded: Recorded[] = []

function newSpan(step: Step, parent?: Recorded, isRecording = true): Recorded {
  const spanContext = () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: isRecording ? 1 : 0 })
  const span = { step, parent, ended: false, isRecording: () => isRecording, spanContext } as unknown as Recorded
  return Object.assign(span, { end: () => Object.assign(span, { ended: true }) })
}

traceBy({
  start(step, parent) {
    const span = newSpan(step, parent as Recorded)
    recorded.push(span)
    return span
  },
  readParent: () => undefined,
})

const request = (id: string, isRecording: boolean) => ({
  id,
  span: newSpan({ name: id, kind: 'server' }, undefined, isRecording),
})

test('shared work is in the trace of the first, and the others’ traces lead to it', async (t) => {
  const [first, second] = [request('req_a', true), request('req_b', true)]
  const inHand = await handleTogether([undefined, first, second, first], async () => requestInHand())
  t.is(inHand?.id, 'req_a,req_b')
  const [shared, waiting] = recorded as [Recorded, Recorded]
  t.is(recorded.length, 2)
  t.deepEqual([shared.parent, waiting.parent], [first.span, second.span])
  t.deepEqual([shared.step.links, waiting.step.links], [[second.span], [shared]])
  t.true(shared.ended && waiting.ended)
  t.is(inHand?.span, shared)
})

test('what is not traced is not traced by the next service either', async (t) => {
  const before = recorded.length
  const sent = new Map<string, string>()
  const call = () =>
    takeStep({ name: 'call', kind: 'client' }, async () => injectTraceContext((name, value) => sent.set(name, value)))
  await inRequest(request('req_a', false), call)
  t.regex(sent.get('traceparent') ?? '', /-00$/)
  sent.clear()
  await handleTogether([request('req_a', false), request('req_b', false)], call)
  t.regex(sent.get('traceparent') ?? '', /-00$/)
  t.is(recorded.length, before)
})
