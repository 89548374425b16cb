import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'

/** A metric of a service that has no labels, or the sum of those whose labels contain `labels`. */
export async function readMetric(stack: SharedStack, service: string, name: string, labels = ''): Promise<number> {
  const page = (await send(stack.metricsUrls[service] ?? '')).text
  const lines = page.split('\n').filter((line) => /^[a-z_]+/.exec(line)?.[0] === name && line.includes(labels))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** Looks again until it is so. @returns whether it was, before the time was up */
export async function becomesTrue(look: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (Date.now() < deadline) {
    if (await look()) return true
    await sleep(50)
  }
  return look()
}
