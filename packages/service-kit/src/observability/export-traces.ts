import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { newId } from '../ids/ids.ts'
import { describeError, type Logger } from './logger.ts'
import { enableTracing } from './tracing.ts'

const EXPORT_INTERVAL_MS = 1000
const MAX_QUEUE_SIZE = 4096
const EXPORT_TIMEOUT_MS = 2000
const SHUTDOWN_TIMEOUT_MS = 1000
const WARN_EVERY_MS = 60_000

type Options = { service: string; url: string; share: number; logger: Logger }

/** Exports spans in the background. If the collector is down, they are lost. @param options.share of new traces to keep, 0 to 1 */
export function exportTraces({ service, url, share, logger }: Options): AsyncDisposable {
  setGlobalErrorHandler(warnRarely(logger))
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'family-inbox',
      'service.instance.id': newId('proc'),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }),
        scheduledDelayMillis: EXPORT_INTERVAL_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
        maxQueueSize: MAX_QUEUE_SIZE,
      }),
    ],
  })
  const tracer = provider.getTracer('family-inbox')
  enableTracing({
    start({ name, kind, attributes, links = [] }, parent) {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)
      const linked = links.map((span) => ({ context: span.spanContext() }))
      return tracer.startSpan(name, { kind: KINDS[kind], attributes, links: linked }, context)
    },
    readParent(traceparent) {
      const parent = parseTraceParent(traceparent)
      return parent === null ? undefined : trace.wrapSpanContext({ ...parent, isRemote: true })
    },
  })
  return {
    async [Symbol.asyncDispose]() {
      const sent = provider.shutdown().catch(() => {})
      await Promise.race([sent, sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

function warnRarely(logger: Logger) {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (error: unknown) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    logger.warn(describeError(error), 'traces could not be exported')
  }
}
