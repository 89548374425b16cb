import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { parseSettings, processSettings, readEnvironment } from '../config/config.ts'
import { describeError } from '../observability/logger.ts'
import { serveMetrics } from '../observability/metrics.ts'
import { startTracing } from '../observability/start-tracing.ts'
import { markStarted } from './probes.ts'

/** A service stops within this time after a signal. Supervisors must wait longer. */
export const GRACE_MS = 10_000

/** Runs a service until SIGTERM or SIGINT, with metrics and tracing. A failed start prints its reason and exits with 1. */
export async function run(service: string, start: () => Promise<AsyncDisposable>): Promise<void> {
  const stop = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  process.on('unhandledRejection', (error) => exitWith(error))
  process.on('uncaughtException', (error) => exitWith(error))
  try {
    const tracing = await startTracing(service)
    await serveUntil(stop, start)
    await tracing?.[Symbol.asyncDispose]()
    process.exit(0)
  } catch (error) {
    exitWith(error)
  }
}

async function serveUntil(stop: Promise<void>, start: () => Promise<AsyncDisposable>): Promise<void> {
  const started = start() // first, because it reports wrong settings
  const metrics = await openMetrics()
  const stoppedEarly = await Promise.race([stop.then(() => true), started.then(() => false)])
  if (stoppedEarly) process.exit(0)
  markStarted()
  flushCompileCache() // now, so that the next start benefits even after a crash
  collectGarbage()
  await stop
  setTimeout(() => process.exit(1), GRACE_MS).unref()
  await (await started)[Symbol.asyncDispose]()
  await metrics[Symbol.asyncDispose]()
}

function openMetrics(): Promise<AsyncDisposable> {
  const { METRICS_HOST: host, METRICS_PORT: port } = parseSettings(z.object(processSettings), readEnvironment())
  return serveMetrics({ host, port })
}

/** Loading modules leaves some 20 MB of garbage that V8 would otherwise keep for long. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  collect({ type: 'major', flavor: 'last-resort' })
}

function exitWith(error: unknown): never {
  const message =
    error instanceof Error && error.name === 'ConfigError' ? error.message : JSON.stringify(describeError(error))
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
