import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { z } from 'zod'
import { everyReader, replaceBetween } from './docs.ts'
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

test('docs/operations.md says what to do for every alarm', async (t) => {
  const root = join(import.meta.dirname, '../..')
  const page = await readFile(join(root, 'docs/operations.md'), 'utf8')
  const rules = await readFile(join(root, 'deploy/monitoring/rules.yaml'), 'utf8')
  const alarms = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  t.true(alarms.length > 5)
  for (const name of alarms) t.true(page.includes(`\`${name}\``), name)
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
