import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { LONGER } from './deadlines.ts'
import { companyOf, testFiles, tierOf } from './tiers.ts'

const ROOT = join(import.meta.dirname, '../..')
/** By the clock of the wall, which other programs of the machine decide. */
const ASSERTED_TIME = /\bt\.true\([^\n]*\b(?:performance|Date)\.now\(\) - \w+ </
const PLACES = ['', 'tests/', 'services/', 'packages/']

test('each line of the table of clauses names a test that runs with npm test', (t) => {
  const table = readFileSync(join(ROOT, 'tests/README.md'), 'utf8')
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && line.includes('.test.ts'))
  t.true(rows.length > 80)
  const filesOf = (row: string) => [...row.matchAll(/`([^` ]+\.test\.ts)`/g)].flatMap(([, name = '']) => find(name))
  const unproven = rows.filter((row) => !filesOf(row).some((file) => tierOf(file) === 'fast'))
  t.deepEqual(
    unproven.map((row) => row.split('|')[1]?.trim()),
    [],
  )
})

test('how long something took is asserted only by what does not run beside everything else', (t) => {
  const measuring = testFiles().filter((file) => ASSERTED_TIME.test(readFileSync(join(ROOT, file), 'utf8')))
  t.true(measuring.length > 0)
  t.deepEqual(
    measuring.filter((file) => companyOf(file) === 'any'),
    [],
  )
})

test('every file with a longer deadline exists', (t) => {
  t.deepEqual(
    Object.keys(LONGER).filter((file) => !existsSync(join(ROOT, file))),
    [],
  )
})

function find(name: string): string[] {
  return PLACES.flatMap((place) => globSync(place + name, { cwd: ROOT }))
}
