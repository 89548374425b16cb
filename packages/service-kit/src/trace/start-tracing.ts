import { z } from 'zod'
import { parseSettings, readEnvironment, traceSettings } from '../config.ts'
import { createLogger } from '../logger.ts'

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
  const { exportTraces } = await import('./export-traces.ts')
  return exportTraces({ service, url, share: settings.OTEL_TRACES_SAMPLER_ARG, logger: createLogger(service, 'warn') })
}
