import { join } from 'node:path'
import type { Outcome } from './count-tests.ts'
import { run, say } from './run.ts'

const ROOT = join(import.meta.dirname, '../..')
const BIN = join(ROOT, 'node_modules/.bin')
const PROTO = join(ROOT, 'proto')
const BUF = join(ROOT, 'scripts/node_modules/.bin/buf')
const TYPES_CACHE = join(ROOT, 'node_modules/.cache/types.tsbuildinfo')

type Check = { name: string; title: string; cwd?: string; command: readonly [file: string, ...args: string[]] }

const CHECKS: readonly Check[] = [
  {
    name: 'types',
    title: 'Checking types',
    command: [join(BIN, 'tsc'), '--noEmit', '--incremental', '--tsBuildInfoFile', TYPES_CACHE],
  },
  { name: 'lint and format', title: 'Checking lint and format', command: [join(BIN, 'biome'), 'ci', '.'] },
  { name: 'promises', title: 'Checking for floating promises', command: [join(BIN, 'oxlint'), '--type-aware'] },
  { name: 'contract', title: 'Checking proto/', cwd: PROTO, command: [BUF, 'lint'] },
  {
    name: 'compatibility',
    title: 'Checking proto/ for breaking changes',
    cwd: PROTO,
    command: [BUF, 'breaking', '--against', 'released.binpb'],
  },
]

/** Runs all checks at the same time. Each counts as one test, and shows its output if it fails. */
export async function checkAll(): Promise<Map<string, Outcome>> {
  say('Checking types, lint, format and proto/…')
  const checked = CHECKS.map(async (check) => [check.name, await outcomeOf(check)] as const)
  return new Map(await Promise.all(checked))
}

async function outcomeOf({ title, cwd = ROOT, command: [file, ...args] }: Check): Promise<Outcome> {
  const startedAt = performance.now()
  const { code, output } = await run(cwd, file, args)
  if (code !== 0) say(output)
  say(`${title}: ${code === 0 ? 'passed' : 'failed'} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }
}
