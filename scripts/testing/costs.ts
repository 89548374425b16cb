import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { processorSeconds } from './processor-time.ts'
import { say } from './run.ts'
import type { Tier } from './tiers.ts'

/** Names the file to which each worker of AVA appends what it used, one `{ file, seconds }` a line. */
export const COSTS_FILE = 'TEST_COSTS_FILE'

/** Processor minutes that a tier may use, everything included. */
export const BUDGET_MINUTES: Readonly<Record<Tier, number>> = { fast: 15, long: 26, cluster: 6 }

const SHOWN = 10
const LAST_RUN = join(import.meta.dirname, '../../node_modules/.cache/test-costs.json')

type Cost = { file: string; seconds: number }
type Costs = Disposable & { file: string }
type LastRun = Readonly<Partial<Record<Tier, { seconds: number }>>>

export function measureCosts(): Costs {
  const folder = mkdtempSync(join(tmpdir(), 'family-inbox-costs-'))
  const file = join(folder, 'costs.jsonl')
  writeFileSync(file, '')
  process.env[COSTS_FILE] = file
  return {
    file,
    [Symbol.dispose]() {
      delete process.env[COSTS_FILE]
      rmSync(folder, { recursive: true })
    },
  }
}

/** Prints the dearest files and the total, and keeps the total for `npm run figures`. */
export function printCosts(tier: Tier, { file }: Costs): void {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const costs: Cost[] = lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds)
  const total = processorSeconds()
  const files = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  say('\nProcessor seconds, with all that a file starts:')
  for (const cost of costs.slice(0, SHOWN)) say(`${format(cost.seconds)}  ${cost.file}`)
  say(`${format(files)}  all files`)
  say(`${format(total)}  everything, with the checks and the shared stacks (at most ${BUDGET_MINUTES[tier] * 60})`)
  mkdirSync(dirname(LAST_RUN), { recursive: true })
  writeFileSync(LAST_RUN, JSON.stringify({ ...readLastRun(), [tier]: { seconds: total } }))
}

export function readLastRun(): LastRun {
  try {
    return JSON.parse(readFileSync(LAST_RUN, 'utf8'))
  } catch {
    return {}
  }
}

function format(seconds: number): string {
  return seconds.toFixed(1).padStart(8)
}
