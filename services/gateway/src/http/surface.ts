import type { ServerResponse } from 'node:http'
import { durations } from '@family-inbox/service-kit/observability/metrics'
import type { Config } from '../config.ts'

/** The three public addresses, each with its own pages and endpoints. */
export type Surface = keyof Config['urls']

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

/**
 * Tells which of the three addresses a request is for. The Host header must be one of theirs (RFC 9110 section 7.2); when the
 * gateway runs on one's own machine, any loopback name does and the port decides.
 * It answers undefined for a Host that is not ours, which is how DNS rebinding looks.
 */
export function createSurfaceOf(urls: Config['urls']): SurfaceOf {
  const byHost = new Map(SURFACES.toReversed().map((surface) => [new URL(urls[surface]).host, surface]))
  const onThisMachine = SURFACES.filter((surface) => LOOPBACK.test(new URL(urls[surface]).hostname))
  return (host, localPort) => {
    const named = byHost.get(host?.toLowerCase() ?? '')
    if (named !== undefined || host === undefined || !LOOPBACK.test(host)) return named
    return onThisMachine.find((surface) => portOf(urls[surface]) === localPort)
  }
}

type SurfaceOf = (host: string | undefined, localPort: number | undefined) => Surface | undefined

/** The port of an address, its scheme's own when it names none. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 443) : Number(port)
}

const SURFACES: Surface[] = ['base', 'api', 'inbox']

const seconds = durations({
  name: 'http_seconds',
  help: 'Requests the gateway answered, by public address, status and how long they took.',
  labels: ['surface', 'status'],
})

/** Counts a request when its answer has left, or its client. Paths are no label: strangers choose them. */
export function observeHttp(surface: Surface, response: ServerResponse): void {
  const startedAt = performance.now()
  response.once('close', () => {
    const status = response.writableFinished ? String(response.statusCode) : 'aborted'
    seconds.observe({ surface, status }, (performance.now() - startedAt) / 1000)
  })
}
