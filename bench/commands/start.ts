import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npmSetup } from '../measure/npm-start.ts'
import type { Options } from '../measure/options.ts'
import type { Memory } from '../measure/processes.ts'
import { startAndStop } from '../measure/start-and-stop.ts'
import { spreadOf } from '../measure/statistics.ts'
import { shown, table } from '../measure/table.ts'

const STARTS = 3

/** Seconds from `npm start` to `ready`, first start (with a demo family) and later ones; and idle memory. */
export async function benchStart({ say }: Options) {
  const dataDir = mkdtempSync(join(tmpdir(), 'family-inbox-bench-'))
  try {
    await npmSetup()
    const first = await startAndStop(dataDir)
    const later = []
    let memory: Record<string, Memory> = {}
    for (let start = 1; start <= STARTS; start += 1) {
      const isLast = start === STARTS
      const { seconds, memory: seen } = await startAndStop(dataDir, { seesMemory: isLast })
      later.push(seconds)
      memory = seen
    }
    const summary = { firstSeconds: first.seconds, laterSeconds: spreadOf(later), memory }
    say(startTable(summary))
    return { summary }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Summary = { firstSeconds: number; laterSeconds: ReturnType<typeof spreadOf>; memory: Record<string, Memory> }

function startTable({ firstSeconds, laterSeconds, memory }: Summary): string {
  const rows = Object.entries(memory).map(([name, { rssMb, pssMb }]) => [name, rssMb.toFixed(0), pssMb.toFixed(0)])
  return [
    `\nnpm start to ready: ${firstSeconds.toFixed(1)} s with an empty data folder (creates the demo family),`,
    `  then ${shown(laterSeconds, 1)} s, median [min–max] of ${STARTS}`,
    '\nMemory of each process, idle',
    table([['', 'RSS MB', 'PSS MB'], ...rows]),
  ].join('\n')
}
