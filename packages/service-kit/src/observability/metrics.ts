import { Counter, Gauge, Histogram, register } from 'prom-client'
import type { BaseConfig } from '../config/base-config.ts'
import { type HttpServer, serveHttp } from '../http/http-server.ts'

/** In seconds. We promise an answer within two. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]
const KEEP_ALIVE_MS = 120_000

type Wanted<Label extends string> = { name: string; help: string; labels: readonly Label[] }

export function durations<Label extends string>({ name, help, labels }: Wanted<Label>): Histogram<Label> {
  return new Histogram({ name: nameOf(name), help, labelNames: labels, buckets: BUCKETS })
}

export function count<Label extends string>({ name, help, labels }: Wanted<Label>): Counter<Label> {
  return new Counter({ name: nameOf(name), help, labelNames: labels })
}

/** A value measured at each scrape. Absent while it cannot be measured. */
export function gauge(name: string, help: string, measure: () => Promise<number>): void {
  register.removeSingleMetric(nameOf(name)) // left by a service started earlier in this process
  new Gauge({
    name: nameOf(name),
    help,
    async collect() {
      try {
        this.set(await measure())
      } catch {
        this.remove()
      }
    },
  })
}

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

function nameOf(name: string): string {
  return `family_inbox_${name}`
}
