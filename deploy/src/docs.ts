// `npm run docs`: writes what is generated from the code into docs/operations.md.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { everyReader } from './readers.ts'
import { replaceBetween } from './replace-between.ts'
import { settingRows, settingsTable } from './settings-table.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = join(ROOT, 'docs/operations.md')

const table = settingsTable(settingRows(await everyReader()))
writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), 'settings', table))
execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', page], { stdio: 'ignore' })
