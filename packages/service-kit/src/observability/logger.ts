import { pino } from 'pino'
import { requestInHand } from './request.ts'

export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * JSON lines on standard output. What is passed to it is names, counts, ids and durations: never personal data. A line that is
 * written for a request says which, and which trace it has.
 */
export function createLogger(service: string, level: string): Logger {
  return pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime, mixin: idsInHand })
}

function idsInHand(): object {
  const { id: request, span } = requestInHand() ?? {}
  return span?.isRecording() ? { request, trace: span.spanContext().traceId } : { request }
}

/**
 * What may be logged of an unexpected error: its class, its code and where it was thrown. Its message is left out,
 * since drivers quote values in it (a duplicate key error quotes the key, V8 quotes the JSON it could not parse).
 */
export function describeError(error: unknown): { error: string; code?: string | number; at?: string[] } {
  if (!(error instanceof Error)) return { error: typeof error }
  const code = (error as { code?: string | number }).code
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? []
  return {
    error: error.name,
    ...(code === undefined ? {} : { code }),
    at: frames.slice(0, 8).map((line) => line.trim()),
  }
}
