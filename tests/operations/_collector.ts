import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { waitFor } from '@family-inbox/local-stack/wait-for'

/** A span as a collector receives it. */
export type Span = {
  service: string
  traceId: string
  spanId: string
  /** Empty at the root. */
  parentSpanId: string
  name: string
  /** As OTLP numbers them: 3 for a client. */
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, string | number>
}

export type Collector = AsyncDisposable & {
  url: string
  spans: Span[]
  /** All received data, as text. */
  received: string[]
  /** A request's trace, once all these spans have arrived. */
  traceOf(requestId: unknown, names: string[]): Promise<Span[]>
  /** Accepts data and never responds. */
  hang(): void
  /** Goes down, closing connections. */
  leave(): Promise<void>
  /** Comes back. */
  comeBack(): Promise<void>
}

type Wire = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<Span, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}
type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }

/** A minimal OpenTelemetry collector: OTLP over HTTP with JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: Span[] = []
  const received: string[] = []
  let isHanging = false
  const server = createServer(async (req, res) => {
    const sent = (await json(req)) as Wire
    received.push(JSON.stringify(sent))
    if (isHanging || req.url !== '/v1/traces') return
    spans.push(...spansIn(sent))
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const leave = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    received,
    traceOf: (requestId, names) =>
      waitFor(async () => completeTrace(spans, String(requestId), names), {
        timeoutMs: 60_000,
        timeout: () => new Error(`the trace has only ${namesOf(spans, String(requestId)).join(', ')}`),
      }),
    hang() {
      isHanging = true
    },
    leave,
    async comeBack() {
      isHanging = false
      await listen(port)
    },
    [Symbol.asyncDispose]: leave,
  }
}

function spansIn({ resourceSpans }: Wire): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name'])
    const sent = scopeSpans.flatMap(({ spans }) => spans)
    return sent.map((span) => ({
      ...span,
      service,
      parentSpanId: span.parentSpanId ?? '',
      attributes: attributesOf(span.attributes),
    }))
  })
}

function attributesOf(attributes: Attribute[]): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']))
}

/** Undefined while a span or a parent is missing. */
function completeTrace(spans: Span[], requestId: string, names: string[]): Span[] | undefined {
  const trace = traceOf(spans, requestId)
  const ids = new Set(trace.map(({ spanId }) => spanId))
  const isWhole = trace.every(({ parentSpanId }) => parentSpanId === '' || ids.has(parentSpanId))
  const has = (name: string) => trace.some((span) => nameOf(span) === name)
  return isWhole && names.every(has) ? trace : undefined
}

function namesOf(spans: Span[], requestId: string): string[] {
  return traceOf(spans, requestId).map(nameOf)
}

function traceOf(spans: Span[], requestId: string): Span[] {
  const first = spans.find(({ attributes }) => attributes['family_inbox.request_id'] === requestId)
  return first === undefined ? [] : spans.filter(({ traceId }) => traceId === first.traceId)
}

/** `gateway: POST /mcp/v1` */
export function nameOf({ service, name }: Span): string {
  return `${service}: ${name}`
}
