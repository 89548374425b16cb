import type { Span } from '@opentelemetry/api'

/** One step of a trace. Its name and attributes are words of ours, never what a person wrote. */
export type Step = {
  name: string
  /** Which side of a hop it is, in OpenTelemetry's words. */
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  attributes?: Attributes
  /** Steps of other traces that this one has to do with. */
  links?: readonly Span[]
}

export type Attributes = Record<string, string | number>

/** What OpenTelemetry does for us, once it is loaded. */
export type Tracing = {
  /** @param parent the step it is a part of; a trace begins where there is none */
  start(step: Step, parent: Span | undefined): Span
  /** The step of another process, as a `traceparent` names it (W3C Trace Context); undefined for anything else. */
  readParent(traceparent: string): Span | undefined
}

let tracing: Tracing | undefined

/** Traces from now on. Called before a service starts, or never. */
export function traceBy(loaded: Tracing): void {
  tracing = loaded
}

/** Undefined while nothing is traced, which is how it is unless a setting says otherwise. */
export function tracingInUse(): Tracing | undefined {
  return tracing
}
