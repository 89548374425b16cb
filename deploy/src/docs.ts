import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings as localStack } from '@family-inbox/local-stack/config'
import { services } from '@family-inbox/local-stack/services'
import { settings as ops } from '@family-inbox/ops/target'
import { settings as backup } from './backup/settings.ts'
import { type Readers, settingRows, settingsTable } from './settings-table.ts'
import { everyCollection } from './sharding/collections.ts'
import { collectionTables } from './sharding/collections-table.ts'

// `npm run docs`: writes the generated parts of docs/operations.md and docs/sharding.md, and the rules for the Prometheus Operator.

const ROOT = join(import.meta.dirname, '../..')
export const RULES = join(ROOT, 'deploy/monitoring/rules.yaml')
export const PROMETHEUS_RULE = join(ROOT, 'deploy/k8s/components/prometheus-operator/rules.yaml')

// Only when run: the test imports this file and must not write the page it checks.
if (import.meta.main) {
  write('docs/operations.md', 'settings', settingsTable(settingRows(everyReader())))
  write('docs/sharding.md', 'collections', collectionTables(await everyCollection()))
  writeFileSync(PROMETHEUS_RULE, prometheusRule(readFileSync(RULES, 'utf8')))
}

function write(path: string, name: string, content: string): void {
  const page = join(ROOT, path)
  writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), name, content))
  execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', page], { stdio: 'ignore' })
}

export function everyReader(): Readers {
  const own = services.map(({ name, settings }) => [name, settings] as const)
  return { ...Object.fromEntries(own), 'npm start': localStack, 'npm run backup': backup, 'npm run ops': ops }
}

/** A rule file as an object of the Prometheus Operator. */
export function prometheusRule(rules: string): string {
  const head = `# Made from deploy/monitoring/rules.yaml by npm run docs.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: family-inbox
  namespace: family-inbox
spec:
`
  return head + rules.replaceAll(/^(?=.)/gm, '  ')
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. @throws when the markers are missing */
export function replaceBetween(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${start} … ${end} not found`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}
