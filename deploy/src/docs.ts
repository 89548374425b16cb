import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings as localStack } from '@family-inbox/local-stack/config'
import { services } from '@family-inbox/local-stack/services'
import { settings as ops } from '@family-inbox/ops/target'
import { settings as backup } from './backup/settings.ts'
import { type Readers, settingRows, settingsTable } from './settings-table.ts'

// `npm run docs`: writes the generated parts of docs/operations.md.

const ROOT = join(import.meta.dirname, '../..')
const page = join(ROOT, 'docs/operations.md')

// Only when run: the test imports this file and must not write the page it checks.
if (import.meta.main) {
  const table = settingsTable(settingRows(everyReader()))
  writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), 'settings', table))
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', page], { stdio: 'ignore' })
}

export function everyReader(): Readers {
  const own = services.map(({ name, settings }) => [name, settings] as const)
  return { ...Object.fromEntries(own), 'npm start': localStack, 'npm run backup': backup, 'npm run ops': ops }
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. @throws when the markers are missing */
export function replaceBetween(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${start} … ${end} not found`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}
