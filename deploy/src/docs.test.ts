import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { z } from 'zod'
import { everyReader, PROMETHEUS_RULE, prometheusRule, RULES, replaceBetween } from './docs.ts'
import { settingRows, settingsTable } from './settings-table.ts'
import { everyCollection } from './sharding/collections.ts'
import { collectionTables } from './sharding/collections-table.ts'

const readers = everyReader()
const rows = settingRows(readers)

test('docs/operations.md lists every setting; npm run docs updates it', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  t.is(aligned(page), aligned(replaceBetween(page, 'settings', settingsTable(rows))))
})

test('docs/sharding.md lists every collection; npm run docs updates it', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/sharding.md'), 'utf8')
  t.is(aligned(page), aligned(replaceBetween(page, 'collections', collectionTables(await everyCollection()))))
})

test('every alarm leads to its section of docs/runbooks.md, and every section is about an alarm', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/runbooks.md'), 'utf8')
  const rules = await readFile(RULES, 'utf8')
  const alarms = [...rules.matchAll(/alert: (\w+)[\s\S]*?runbook: (\S+)/g)].map(([, name = '', runbook]) => {
    t.is(runbook, `docs/runbooks.md#${name.toLowerCase()}`)
    return name
  })
  t.is(alarms.length, [...rules.matchAll(/alert:/g)].length)
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  t.deepEqual([...sections].sort(), [...new Set(alarms)].sort())
})

test('docs/operations.md says the error budget of every service level', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const rules = await readFile(RULES, 'utf8')
  const budgets = [...rules.matchAll(/slo_budget:ratio\n\s+labels: \{ slo: (\S+) \}\n\s+expr: vector\((\S+)\)/g)]
  t.true(budgets.length > 5)
  for (const [, slo = '', budget] of budgets) {
    const row = page.split('\n').find((line) => line.includes(`| \`${slo}\``)) ?? ''
    const kept = `${Number((100 - Number(budget) * 100).toFixed(3))}%`
    t.regex(row, new RegExp(`\\| ${kept} +\\| 1 in ${(1 / Number(budget)).toLocaleString('en-US')} `), slo)
  }
})

test('the Prometheus Operator gets the same rules; npm run docs updates them', async (t) => {
  t.is(await readFile(PROMETHEUS_RULE, 'utf8'), prometheusRule(await readFile(RULES, 'utf8')))
})

test('every setting is described, with an example that it accepts', (t) => {
  for (const { name, description, secret, readers: who } of rows) {
    const example = description.match(/(?:for example )([^;]+)/)?.[1]
    t.truthy(example, `${name} has no example: ${description}`)
    const schema = readers[who[0] ?? '']?.shape[name] as z.ZodType
    // Secrets have no example, because someone would use it.
    if (!secret && !example?.includes('…')) t.true(schema.safeParse(example).success, `${name}: ${example}`)
  }
})

test('a setting with the same meaning for several readers is one row', (t) => {
  t.deepEqual(rows.find(({ name }) => name === 'NATS_URL')?.readers.includes('inbox'), true)
  t.true(rows.filter(({ name }) => name === 'SANDBOX_TTL_HOURS').length > 1)
})

/** The formatter aligns tables, so compare without spacing. */
function aligned(text: string): string {
  return text.replaceAll(/ +/g, ' ').replaceAll(/-{2,}/g, '-')
}
