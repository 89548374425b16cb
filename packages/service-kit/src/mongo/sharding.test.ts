import test from 'ava'
import { hasShardIndex, impossibleIndexes, shardingOf } from './sharding.ts'

test('a schema that names no shard key is refused', (t) => {
  t.throws(() => shardingOf({ options: { collection: 'rows' } }), { message: /names no shard key/ })
  t.deepEqual(shardingOf({ options: { sharding: { global: 'one row' } } }), { global: 'one row' })
})

test('a unique index is possible only if it begins with the fields of the shard key', (t) => {
  const unique = { unique: true }
  const key = { workspaceId: 1 } as const
  t.deepEqual(impossibleIndexes(key, [[{ workspaceId: 1, lovedOneId: 1 }, unique]]), [])
  t.deepEqual(impossibleIndexes(key, [[{ hash: 1 }, {}]]), [])
  t.deepEqual(impossibleIndexes(key, [[{ email: 1, workspaceId: 1 }, unique]]), ['email, workspaceId'])
  t.deepEqual(impossibleIndexes({ _id: 'hashed' }, [[{ hash: 1 }, unique]]), ['hash'])
  t.deepEqual(impossibleIndexes({ a: 1, b: 1 }, [[{ a: 1 }, unique]]), ['a'])
})

test('a shard cannot find its rows by an index that leaves rows out', (t) => {
  const key = { workspaceId: 1 } as const
  t.true(hasShardIndex(key, [[{ workspaceId: 1, at: -1 }, {}]]))
  t.false(hasShardIndex(key, [[{ workspaceId: 1, at: -1 }, { sparse: true }]]))
  t.false(hasShardIndex(key, [[{ workspaceId: 1 }, { partialFilterExpression: { live: true } }]]))
  t.false(hasShardIndex(key, [[{ at: 1, workspaceId: 1 }, {}]]))
  t.true(hasShardIndex({ _id: 1 }, []))
})
