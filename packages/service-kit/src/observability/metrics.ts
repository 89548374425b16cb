import { Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client'
import { type HttpServer, serveHttp } from '../http/http-server.ts'
import { probes } from '../lifecycle/probes.ts'

/** In seconds. We promise an answer within two. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]
const KEEP_ALIVE_MS = 120_000

type Wanted<Label extends string> = { name: string; help: string; labels: readonly Label[] }

/** A histogram of durations. Labels have few values and hold no personal data. */
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

/** Serves Prometheus metrics at `/metrics` and the health probes, always without TLS. Contains nothing secret. */
export function serveMetrics({ host, port }: { host: string; port: number }): Promise<HttpServer> {
  collectDefaultMetrics()
  return serveHttp(
    async (request, response) => {
      const { method, url = '' } = request
      const isWell = probes[url]?.()
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
