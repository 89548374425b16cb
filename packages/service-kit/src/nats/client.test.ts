import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import test from 'ava'

test('one file of the product names the client of NATS', (t) => {
  const root = join(import.meta.dirname, '../../../..')
  const args = ['grep', '-lE', `from '(nats|@nats-io/[a-z-]+)'`, '--', 'packages/**/src/*.ts', 'services/**/src/*.ts']
  const files = spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim().split('\n')
  const product = files.filter((file) => !file.endsWith('.test.ts'))
  t.deepEqual(product, ['packages/service-kit/src/nats/client.ts'])
})
