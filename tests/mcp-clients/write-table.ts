/**
 * Writes the table of clients in docs/agents.md. Run it when _clients.ts changes.
 * Run with: node tests/mcp-clients/write-table.ts
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceBetween } from '../../deploy/src/docs.ts'
import { clientTable } from './_clients.ts'

const ROOT = join(import.meta.dirname, '../..')
const page = join(ROOT, 'docs/agents.md')

writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), 'clients', clientTable()))
execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', page], { stdio: 'ignore' })
