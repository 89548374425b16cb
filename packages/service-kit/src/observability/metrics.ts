import { Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client'
import { type HttpServer, serveHttp } from '../http/http-server.ts'
import { probes } from '../lifecycle/probes.ts'

/** Seconds; what is promised is an answer within two. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]
const KEEP_ALIVE_MS = 120_000

type Wanted<Label extends string> = { name: string; help: string; labels: readonly Label[] }

/** How long something takes, and thereby how often it happens, by a few labels of few values; never a person's data. */
export function durations<Label extends string>({ name, help, labels }: Wanted<Label>): Histogram<Label> {
  return new Histogram({ name: nameOf(name), help, labelNames: labels, buckets: BUCKETS })
}

/** How often something happened. */
export function count<Label extends string>({ name, help, labels }: Wanted<Label>): Counter<Label> {
  return new Counter({ name: nameOf(name), help, labelNames: labels })
}

/** How much of something there is, asked whenever somebody looks. While it cannot be told there is no value. */
export function gauge(name: string, help: string, measure: () => Promise<number>): void {
  register.removeSingleMetric(nameOf(name)) // of a service that was started before in this process
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

/**
 * Serves this process's metrics at `/metrics`, as Prometheus reads them, and beside them its health (`probes.ts`): always
 * without TLS, and without anything a stranger may not know.
 */
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
