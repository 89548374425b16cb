import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge, Histogram, register } from 'prom-client'

/** In seconds. We promise an answer within two. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]
/** A store that does not answer must not delay the whole page: Prometheus would call the process down. */
const MEASURE_MS = 1500

type Wanted<Label extends string> = { name: string; help: string; labels: readonly Label[] }

export function durations<Label extends string>({ name, help, labels }: Wanted<Label>): Histogram<Label> {
  return new Histogram({ name: nameOf(name), help, labelNames: labels, buckets: BUCKETS })
}

type Counted<Label extends string> = Wanted<Label> & {
  /** These are 0 from the start. Prometheus sees no increase in a series that begins at 1. */
  zero?: readonly Readonly<Record<Label, string>>[]
}

export function count<Label extends string>({ name, help, labels, zero = [] }: Counted<Label>): Counter<Label> {
  const counter = new Counter({ name: nameOf(name), help, labelNames: labels })
  for (const values of zero) counter.inc(values, 0)
  return counter
}

/** A value measured at each scrape. Absent while it cannot be measured. */
export function gauge(name: string, help: string, measure: () => Promise<number>): void {
  register.removeSingleMetric(nameOf(name)) // left by a service started earlier in this process
  new Gauge({
    name: nameOf(name),
    help,
    async collect() {
      const value = await measureInTime(measure)
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}

type Measured<Label extends string> = {
  name: string
  help: string
  label: Label
  /** The value while it cannot be measured, instead of none. */
  otherwise?: number
}

/** The same for several values with one label. @returns adds a value, or replaces what measures it */
export function gauges<Label extends string>({ name, help, label, otherwise }: Measured<Label>) {
  const measures = new Map<string, () => Promise<number>>()
  new Gauge({
    name: nameOf(name),
    help,
    labelNames: [label],
    async collect() {
      const measured = [...measures].map(async ([key, measure]) => {
        const labels = { [label]: key } as Record<Label, string>
        const value = (await measureInTime(measure)) ?? otherwise
        if (value === undefined) this.remove(labels)
        else this.set(labels, value)
      })
      await Promise.all(measured)
    },
  })
  return (key: string, measure: () => Promise<number>): void => void measures.set(key, measure)
}

async function measureInTime(measure: () => Promise<number>): Promise<number | undefined> {
  try {
    return await Promise.race([measure(), sleep(MEASURE_MS, undefined, { ref: false })])
  } catch {
    return undefined
  }
}

function nameOf(name: string): string {
  return `family_inbox_${name}`
}
