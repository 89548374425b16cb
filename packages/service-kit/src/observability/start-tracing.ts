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
import { z } from 'zod'
import { parseSettings, readEnvironment, traceSettings } from '../config/config.ts'
import { newId } from '../ids/ids.ts'
import { createLogger, describeError, type Logger } from './logger.ts'
import { traceBy } from './tracing.ts'

/**
 * Traces what this process does when a collector is set. Otherwise nothing is traced, and nothing of OpenTelemetry is loaded.
 * @returns what sends the last steps when it is disposed of, for a second at most
 * @throws ConfigError
 */
export async function startTracing(service: string): Promise<AsyncDisposable | undefined> {
  const settings = parseSettings(z.object(traceSettings), readEnvironment())
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = settings
  const url = whole ?? (base && `${base}/v1/traces`)
  if (url === undefined) return undefined
  const { exportTraces } = await import('./start-tracing.ts')
  return exportTraces({ service, url, share: settings.OTEL_TRACES_SAMPLER_ARG, logger: createLogger(service, 'warn') })
}

/** Steps are sent together, so often. */
const EVERY_MS = 1000
/** What waits for a collector that is away; more than this is let go. */
const MOST_WAITING = 4096
/** How long a collector may take, and how long the end of the process waits for it. */
const PATIENCE_MS = 2000
const FAREWELL_MS = 1000
const WARN_EVERY_MS = 60_000

type Options = { service: string; url: string; share: number; logger: Logger }

/**
 * Sends what is traced to a collector, by OTLP over HTTP, behind everybody's back: a collector that is slow or away costs the
 * steps, and a warning a minute. This is the one file that loads OpenTelemetry, and it is loaded only when traces are wanted.
 * @param options.share the share of traces that are kept, 0 to 1, for those that begin here; a step is kept when its trace is
 */
export function exportTraces({ service, url, share, logger }: Options): AsyncDisposable {
  setGlobalErrorHandler(warnSeldom(logger))
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'service.namespace': 'family-inbox',
      'service.instance.id': newId('proc'),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, timeoutMillis: PATIENCE_MS }),
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: PATIENCE_MS,
        maxQueueSize: MOST_WAITING,
      }),
    ],
  })
  const tracer = provider.getTracer('family-inbox')
  traceBy({
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
      const sent = provider.shutdown().catch(() => {}) // whoever could not be told before is not told now
      await Promise.race([sent, sleep(FAREWELL_MS, undefined, { ref: false })])
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

function warnSeldom(logger: Logger) {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (error: unknown) => {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return
    warnedAt = performance.now()
    logger.warn(describeError(error), 'traces could not be delivered')
  }
}
