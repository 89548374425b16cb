import { register } from 'prom-client'
import type { BaseConfig } from '../config/base-config.ts'
import { type HttpServer, serveHttp } from '../http/http-server.ts'

const KEEP_ALIVE_MS = 120_000

export type Probes = Readonly<Record<'/livez' | '/readyz', () => Promise<boolean | undefined>>>

type MetricsOptions = BaseConfig['metrics'] & { probes: Probes }

/** Serves this process's Prometheus metrics, and a service's health for a kubelet without a client certificate. */
export function serveMetrics({ host, port, probes }: MetricsOptions): Promise<HttpServer> {
  return serveHttp(
    async (request, response) => {
      const { method, url = '' } = request
      const isWell = await (probes as Partial<Record<string, Probes['/readyz']>>)[url]?.()
      if (method !== 'GET' || (url !== '/metrics' && isWell === undefined)) return void response.writeHead(404).end()
      if (isWell !== undefined) return void response.writeHead(isWell ? 200 : 503, NOT_KEPT).end()
      const page = await register.metrics()
      response.writeHead(200, { ...NOT_KEPT, 'content-type': register.contentType }).end(page)
    },
    { host, port, keepAliveMs: KEEP_ALIVE_MS },
  )
}

const NOT_KEPT = { 'cache-control': 'no-store' }
