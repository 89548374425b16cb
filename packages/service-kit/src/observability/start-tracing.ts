import type { BaseConfig } from '../config/base-config.ts'
import { createLogger } from './logger.ts'

/** Starts tracing if a collector is configured; otherwise OpenTelemetry's SDK is not loaded. */
export async function startTracing(process: string, { url, share }: BaseConfig['traces']): Promise<AsyncDisposable> {
  if (url === undefined) return { [Symbol.asyncDispose]: async () => {} }
  const { exportTraces } = await import('./export-traces.ts')
  return exportTraces({ service: process, url, share, logger: createLogger(process, 'warn') })
}
