import { Counter, Gauge, Histogram, register } from 'prom-client'

/** In seconds. We promise an answer within two. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]

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

function nameOf(name: string): string {
  return `family_inbox_${name}`
}
