import { databaseUri } from '@family-inbox/local-stack/mongo-uri'
import { startStack } from '@family-inbox/local-stack/stack'
import { randomText } from '@family-inbox/service-kit/ids/ids'
import { connectMongo } from '@family-inbox/service-kit/mongo/mongo'
import { readAll } from '@family-inbox/service-kit/mongo/read-all'
import { createLogger } from '@family-inbox/service-kit/observability/logger'
import test from 'ava'

test('a read gets every document, even more than MongoDB puts into one answer', async (t) => {
  await using stack = await startStack({ services: [] })
  const uri = databaseUri(stack.mongoUri, `large_reads_${randomText(8)}`)
  const connection = await connectMongo(uri, createLogger('test', 'error'))
  const rows = connection.collection('rows')
  const ids = Array.from({ length: 20 }, (_, index) => `row-${String(index).padStart(2, '0')}`)
  for (const _id of ids) await rows.insertOne({ _id: _id as never, text: 'é'.repeat(500_000) })

  const query = { filter: { _id: { $gte: 'row-01' } }, projection: { text: 1 }, sort: { _id: 1 } } as const
  const all = await readAll<{ _id: string; text: string }>(rows, query)
  t.deepEqual(
    all.map(({ _id }) => _id),
    ids.slice(1),
  )
  t.true(all.every(({ text }) => text.length === 500_000))
  t.is((await readAll(rows, { ...query, limit: 3 })).length, 3)
  await connection.dropDatabase()
  await connection.close()
})
