import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { collectDefaultMetrics } from 'prom-client'
import type { BaseConfig } from '../config/base-config.ts'
import { type Environment, readEnvironment } from '../config/config.ts'
import { armCrashPoint } from '../lifecycle/crash-point.ts'
import { disposeAll } from '../lifecycle/dispose-all.ts'
import { wakeAllSweepers } from '../lifecycle/sweep.ts'
import { createLogger, describeError } from '../observability/logger.ts'
import { gauges } from '../observability/metrics.ts'
import { serveMetrics } from './serve-metrics.ts'

export type Service<Config extends BaseConfig = BaseConfig> = {
  name: string
  environmentToConfig(env: Environment): Config
  start(config: Config): Promise<RunningService>
}

export type RunningService = AsyncDisposable & { isReady?(): Promise<boolean> }

/** A service stops within this time after a signal. Supervisors must wait longer. */
export const GRACE_MS = 10_000

/** The delay of the event loop is measured this often. At the default of 10 ms the measurement is most of an idle process's work. */
const LOOP_DELAY_MS = 100

export type ServiceInProcess = { service: Service; env: Environment }

/**
 * Runs a service in this process until SIGTERM or SIGINT. A failed start prints its reason and exits with 1. SIGWINCH makes it look
 * for due work at once.
 */
export function runService<Config extends BaseConfig>(service: Service<Config>): Promise<void> {
  return runServices(service.name, [{ service, env: readEnvironment() }])
}

/** The same for several services, each with its own environment. */
export async function runServices(name: string, services: readonly ServiceInProcess[]): Promise<void> {
  const stop = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  // Without a listener it does nothing, so it cannot harm a process that is still starting. It then looks anyway.
  process.on('SIGWINCH', wakeAllSweepers)
  process.on('unhandledRejection', (error) => exitWith(error))
  process.on('uncaughtException', (error) => exitWith(error))
  try {
    const configured = services.map(configure)
    armCrashPoint(
      readEnvironment(),
      configured.map(({ config }) => config.metrics.host),
    )
    await serveUntil(stop, name, configured)
    process.exit(0)
  } catch (error) {
    exitWith(error)
  }
}

type Configured = { service: Service; config: BaseConfig }

function configure({ service, env }: ServiceInProcess): Configured {
  return { service, config: service.environmentToConfig(env) }
}

async function serveUntil(stop: Promise<void>, name: string, services: readonly Configured[]): Promise<void> {
  const [first] = services
  if (first === undefined) throw new Error('A process needs at least one service.')
  const tracing = await startTracing(name, first.config.traces)
  collectDefaultMetrics({ eventLoopMonitoringPrecision: LOOP_DELAY_MS })
  const started = Promise.all(services.map(serve))
  const stoppedEarly = await Promise.race([stop.then(() => true), started.then(() => false)])
  if (stoppedEarly) process.exit(0)
  const flushing = setTimeout(flushCompileCache, FLUSH_AFTER_MS) // so that the next start benefits even after a crash
  const tidying = setTimeout(collectGarbage, COLLECT_AFTER_MS)
  await stop
  clearTimeout(flushing)
  clearTimeout(tidying)
  setTimeout(() => process.exit(1), GRACE_MS).unref()
  await disposeAll(await started)
  await tracing[Symbol.asyncDispose]()
}

async function serve({ service, config }: Configured): Promise<AsyncDisposable> {
  let running: RunningService | undefined
  const probes = {
    '/livez': async () => true,
    '/readyz': async () => (running === undefined ? false : running.isReady?.()),
  }
  watchReady(service.name, async () => Number(running !== undefined && ((await running.isReady?.()) ?? true)))
  // First: a start waits for its stores, and a supervisor that gets no answer meanwhile would kill it again and again.
  const metrics = await serveMetrics({ ...config.metrics, probes })
  const started = await service.start(config)
  running = started
  return {
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]()
      await metrics[Symbol.asyncDispose]()
    },
  }
}

const watchReady = gauges({
  name: 'ready',
  help: 'Whether a service of this process serves: 1 or 0.',
  label: 'service',
  otherwise: 0,
})

const FLUSH_AFTER_MS = 2000
/** So long after its start a service collects garbage: that stops it for 0.15 s, and the first callers come as soon as it is ready. */
export const COLLECT_AFTER_MS = 20_000

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

/** Starts tracing if a collector is configured; otherwise OpenTelemetry's SDK is not loaded. */
async function startTracing(process: string, { url, share }: BaseConfig['traces']): Promise<AsyncDisposable> {
  if (url === undefined) return { [Symbol.asyncDispose]: async () => {} }
  const { exportTraces } = await import('../observability/export-traces.ts')
  return exportTraces({ service: process, url, share, logger: createLogger(process, 'warn') })
}
