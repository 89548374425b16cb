import { z } from 'zod'
import { parseSettings, readEnvironment, traceSettings } from '../config/config.ts'
import { createLogger } from './logger.ts'

/** Starts tracing if a collector is configured; otherwise OpenTelemetry is not loaded. @throws ConfigError */
export async function startTracing(service: string): Promise<AsyncDisposable | undefined> {
  const settings = parseSettings(z.object(traceSettings), readEnvironment())
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: full } = settings
  const url = full ?? (base && `${base}/v1/traces`)
  if (url === undefined) return undefined
  const { exportTraces } = await import('./export-traces.ts')
  return exportTraces({ service, url, share: settings.OTEL_TRACES_SAMPLER_ARG, logger: createLogger(service, 'warn') })
}
