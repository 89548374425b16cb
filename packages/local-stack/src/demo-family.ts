import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoFamily } from '@family-inbox/ops/demo-seed'
import type { Stack } from './run-stack.ts'

/** What is kept of the demo family: which it is, and whom to sign in as to see it. */
type Mark = { workspaceId: string; owner?: string }

/**
 * Makes the demo family on a data folder that has none yet. A start that was ended half-way through leaves no mark, and the
 * next one makes another family, whose key can be shown.
 * @returns the owner's email address, and the family if it is new
 */
export async function makeDemoFamily(stack: Stack): Promise<{ owner?: string; made?: DemoFamily }> {
  const path = join(stack.dataDir, 'demo-family.json')
  const mark: Mark | undefined = await readFile(path, 'utf8').then(JSON.parse, () => undefined)
  if (mark) return { owner: mark.owner }
  const { seedDemo } = await import('@family-inbox/ops/demo-seed')
  const made = await seedDemo(stack.target)
  const { owner } = made.people
  await writeFile(path, JSON.stringify({ workspaceId: made.workspaceId, owner } satisfies Mark))
  return { owner, made }
}
