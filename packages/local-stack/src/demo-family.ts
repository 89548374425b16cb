import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import type { Stack } from './run-stack.ts'

/**
 * Makes the demo family on a data folder that has none yet. A start that was ended half-way through leaves no mark, and the
 * next one makes another family, whose key can be shown.
 * @returns undefined when the folder was not new
 */
export async function makeDemoFamily(stack: Stack): Promise<DemoFamily | undefined> {
  const mark = join(stack.dataDir, 'demo-family.json')
  if (await readFile(mark).catch(() => undefined)) return undefined
  const { seedDemo } = await import('@family-inbox/ops/demo-seed')
  const family = await seedDemo(stack.target)
  await writeFile(mark, JSON.stringify({ workspaceId: family.workspaceId }))
  return family
}
