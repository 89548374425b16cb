import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { COSTS_FILE } from './costs.ts'
import { countTests } from './count-tests.ts'
import { run } from './run.ts'

const ROOT = join(import.meta.dirname, '../..')
const AVA = join(ROOT, 'node_modules/ava/entrypoints/cli.js')

test('a test that hangs fails alone at its deadline, even if it keeps asserting, and its process ends', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'family-inbox-late-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const costs = join(dir, 'costs')
  const files = ['scripts/testing/late.ts']
  const { code, output } = await run(ROOT, process.execPath, [AVA, ...files], undefined, { [COSTS_FILE]: costs })
  t.is(code, 1)
  t.deepEqual(countTests(output, code), { passed: 3, failed: 2, skipped: 0 })
  t.regex(output, /not finished after 1 s/)
  const { file, seconds } = JSON.parse(readFileSync(costs, 'utf8'))
  t.is(file, 'scripts/testing/late.ts')
  t.true(seconds > 0)
})
