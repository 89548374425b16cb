import { send } from '../_family.ts'
import type { SharedStack } from '../_shared-stack.ts'

/** Reads a metric; with `labels`, the sum over matching label sets. */
export async function readMetric(stack: SharedStack, service: string, name: string, labels = ''): Promise<number> {
  const page = (await send(stack.metricsUrls[service] ?? '')).text
  const lines = page.split('\n').filter((line) => /^[a-z_]+/.exec(line)?.[0] === name && line.includes(labels))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
