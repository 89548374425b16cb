import type { Span } from '@opentelemetry/api'

/** A span to start. Its name and attributes are fixed words, never text a person wrote. */
export type SpanOptions = {
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  attributes?: Attributes
  links?: readonly Span[]
}

export type Attributes = Record<string, string | number>

export type Tracing = {
  start(span: SpanOptions, parent: Span | undefined): Span
  /** The remote span that a `traceparent` names (W3C Trace Context); undefined if malformed. */
  readParent(traceparent: string): Span | undefined
}

let tracing: Tracing | undefined

export function enableTracing(loaded: Tracing): void {
  tracing = loaded
}

export function activeTracing(): Tracing | undefined {
  return tracing
}
