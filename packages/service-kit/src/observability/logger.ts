import { pino } from 'pino'
import { currentRequest } from './request.ts'

export type Logger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Logs JSON lines with the current request and trace id. Never log personal data. */
export function createLogger(service: string, level: string): Logger {
  return pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime, mixin: requestIds })
}

function requestIds(): object {
  const { id: request, span } = currentRequest() ?? {}
  return span?.isRecording() ? { request, trace: span.spanContext().traceId } : { request }
}

/** The loggable part of an unexpected error. Leaves out its message: drivers quote values in it, such as a duplicate key. */
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
