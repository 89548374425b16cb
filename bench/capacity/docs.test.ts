import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { everyPlan } from '../commands/capacity.ts'
import { limitRows, planRows } from '../report/capacity-table.ts'
import { calculateLimits, simulateLimits } from './limits.ts'
import { AS_DELIVERED } from './system.ts'

test('docs/capacity.md has the figures that npm run bench -- capacity prints', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/capacity.md'), 'utf8')
  const lines = new Set(page.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim()))
  for (const row of planRows(everyPlan())) t.true(lines.has(`| ${row.join(' | ')} |`), `| ${row.join(' | ')} |`)
  const simulated = limitRows(simulateLimits(AS_DELIVERED, 8))
  for (const [index, [name, calculated]] of limitRows(calculateLimits(AS_DELIVERED)).entries()) {
    const day: string = simulated.find(([other]) => other === name)?.[1] ?? '–'
    t.true(
      [...lines].some((line) => line.startsWith(`| ${name} | ${calculated} | ${day} |`)),
      `${index}: ${name} | ${calculated} | ${day}`,
    )
  }
})
