import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { z } from 'zod'
import { parseSettings, processSettings, readEnvironment } from '../config/config.ts'
import { describeError } from '../observability/logger.ts'
import { serveMetrics } from '../observability/metrics.ts'
import { startTracing } from '../observability/start-tracing.ts'
import { reportStarted } from './probes.ts'

/** How long a service may take from the signal to its end. What stops it from outside must wait longer. */
export const GRACE_MS = 10_000

/**
 * Runs a service for the life of the process: starts it, stops it on SIGTERM or SIGINT, and leaves within 10 seconds. Its
 * metrics can be read from the beginning to the end; where a collector is set, what it does is traced.
 * A start that fails prints why on standard error and exits with 1, so that a supervisor tries again.
 */
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
  const started = start() // first of all, since it says what settings are wrong
  const metrics = await openMetrics()
  const stoppedEarly = await Promise.race([stop.then(() => true), started.then(() => false)])
  if (stoppedEarly) process.exit(0)
  reportStarted()
  flushCompileCache() // so that the next start finds its modules compiled, however this process ends
  giveBackMemory()
  await stop
  setTimeout(() => process.exit(1), GRACE_MS).unref()
  await (await started)[Symbol.asyncDispose]()
  await metrics[Symbol.asyncDispose]()
}

function openMetrics(): Promise<AsyncDisposable> {
  const { METRICS_HOST: host, METRICS_PORT: port } = parseSettings(z.object(processSettings), readEnvironment())
  return serveMetrics({ host, port })
}

/** Loading its modules leaves a process some 20 MB of garbage, which V8 would keep until much more has gathered. */
function giveBackMemory(): void {
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
