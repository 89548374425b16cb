import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasShardIndex, impossibleIndexes } from '@family-inbox/service-kit/mongo/sharding'
import test from 'ava'
import { everyCollection, namedInSource } from './collections.ts'

const ROOT = join(import.meta.dirname, '../../..')
const collections = await everyCollection()

const nameOf = ({ database, name }: { database: string; name: string }) => `${database}.${name}`
const keyed = collections.flatMap(({ sharding, ...rest }) =>
  sharding.shardKey === undefined ? [] : [{ ...rest, shardKey: sharding.shardKey }],
)

test('every collection names its shard key or says why its rows belong to no workspace', (t) => {
  const found = (service: string) =>
    collections.filter((one) => one.service === service && one.name !== 'mail_allowances').map(({ name }) => name)
  for (const service of new Set(collections.map((one) => one.service)))
    t.deepEqual(found(service), namedInSource(service), service)
  t.true(collections.length > 70)
})

test('no service stores rows without a schema, except how far its migrations and streams are', (t) => {
  const files = globSync('{services,packages/*-kit}/**/src/**/*.ts', { cwd: ROOT })
  const others = files.filter((file) => !/node_modules|\.test\.ts|\/migrations\//.test(file))
  const named = others.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bcollection(?:<\w+>)?\('(\w+)'\)/g)].map(([, name]) => name),
  )
  t.deepEqual([...new Set(named)].sort(), ['schema', 'streams'])
})

test('a unique index is possible on every shard: it begins with the shard key', (t) => {
  const wrong = keyed.map((one) => [nameOf(one), impossibleIndexes(one.shardKey, one.indexes)] as const)
  t.deepEqual(
    wrong.filter(([, indexes]) => indexes.length > 0),
    [],
  )
})

test('a shard finds its rows by an index that the service has anyway', (t) => {
  const lacking = keyed.filter(
    ({ shardKey, indexes }) => !Object.values(shardKey).includes('hashed') && !hasShardIndex(shardKey, indexes),
  )
  t.deepEqual(lacking.map(nameOf), [])
})
