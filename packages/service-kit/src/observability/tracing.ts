import type { Span } from '@opentelemetry/api'

/** A span to start. Its name and attributes are fixed words, never text a person wrote. */
export type SpanOptions = {
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  attributes?: Attributes
  /** Related spans of other traces. */
  links?: readonly Span[]
}

export type Attributes = Record<string, string | number>

/** Implemented by OpenTelemetry when it is loaded. */
export type Tracing = {
  /** @param parent undefined starts a new trace */
  start(span: SpanOptions, parent: Span | undefined): Span
  /** The remote span that a `traceparent` names (W3C Trace Context); undefined if malformed. */
  readParent(traceparent: string): Span | undefined
}

let tracing: Tracing | undefined

/** Turns tracing on. Call it before a service starts. */
export function enableTracing(loaded: Tracing): void {
  tracing = loaded
}

/** Undefined while tracing is off, the default. */
export function activeTracing(): Tracing | undefined {
  return tracing
}
