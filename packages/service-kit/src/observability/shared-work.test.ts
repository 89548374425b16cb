import type { Span } from '@opentelemetry/api'
import test from 'ava'
import { currentRequest, runInRequest } from '../observability/request.ts'
import { runShared, withSpan } from '../observability/spans.ts'
import { injectTraceContext } from '../observability/trace-context.ts'
import { enableTracing, type SpanOptions } from '../observability/tracing.ts'

/** Collects spans like OpenTelemetry. */
type Recorded = Span & { step: SpanOptions; parent?: Recorded; ended: boolean }
const recorded: Recorded[] = []

function newSpan(step: SpanOptions, parent?: Recorded, isRecording = true): Recorded {
  const spanContext = () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: isRecording ? 1 : 0 })
  const span = { step, parent, ended: false, isRecording: () => isRecording, spanContext } as unknown as Recorded
  return Object.assign(span, { end: () => Object.assign(span, { ended: true }) })
}

enableTracing({
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

test('shared work is in the first trace, and the other traces link to it', async (t) => {
  const [first, second] = [request('req_a', true), request('req_b', true)]
  const inHand = await runShared([undefined, first, second, first], async () => currentRequest())
  t.is(inHand?.id, 'req_a,req_b')
  const [shared, waiting] = recorded as [Recorded, Recorded]
  t.is(recorded.length, 2)
  t.deepEqual([shared.parent, waiting.parent], [first.span, second.span])
  t.deepEqual([shared.step.links, waiting.step.links], [[second.span], [shared]])
  t.true(shared.ended && waiting.ended)
  t.is(inHand?.span, shared)
})

test('an untraced request stays untraced in the next service', async (t) => {
  const before = recorded.length
  const sent = new Map<string, string>()
  const call = () =>
    withSpan({ name: 'call', kind: 'client' }, async () => injectTraceContext((name, value) => sent.set(name, value)))
  await runInRequest(request('req_a', false), call)
  t.regex(sent.get('traceparent') ?? '', /-00$/)
  sent.clear()
  await runShared([request('req_a', false), request('req_b', false)], call)
  t.regex(sent.get('traceparent') ?? '', /-00$/)
  t.is(recorded.length, before)
})
