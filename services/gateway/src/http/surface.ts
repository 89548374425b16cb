import type { ServerResponse } from 'node:http'
import { durations } from '@family-inbox/service-kit/observability/metrics'
import type { Config } from '../config.ts'

export type Surface = keyof Config['urls']

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

/** By Host; on a local installation, by port under any loopback name. Undefined for others, as in DNS rebinding. */
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

export function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? ({ 'http:': 80, 'https:': 443 }[protocol] ?? 443) : Number(port)
}

const SURFACES: Surface[] = ['base', 'api', 'inbox']

const seconds = durations({
  name: 'http_seconds',
  help: 'Duration of requests, by public address and status.',
  labels: ['surface', 'status'],
})

/** Records a request when its response closes. Paths are not a label: clients choose them. */
export function observeHttp(surface: Surface, response: ServerResponse): void {
  const startedAt = performance.now()
  response.once('close', () => {
    const status = response.writableFinished ? String(response.statusCode) : 'aborted'
    seconds.observe({ surface, status }, (performance.now() - startedAt) / 1000)
  })
}
