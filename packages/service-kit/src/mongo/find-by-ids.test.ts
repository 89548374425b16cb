import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { createFindByIds } from './find-by-ids.ts'

/** Stored documents, and the ids that each command asked for. */
function storeOf(...ids: string[]) {
  const asked: string[][] = []
  const command = async ({ filter }: { filter: { _id: { $in: string[] } } }) => {
    const wanted = filter._id.$in
    asked.push(wanted)
    await delay(5)
    if (wanted.includes('fails')) throw new Error('the store failed')
    const firstBatch = ids.filter((id) => wanted.includes(id)).map((id) => ({ _id: id }))
    return { cursor: { id: 0, firstBatch } }
  }
  return { asked, findByIds: createFindByIds({ collectionName: 'rows', conn: { db: { command } } } as never) }
}

test('readers at the same time share a command, and each gets its own documents', async (t) => {
  const { asked, findByIds } = storeOf('a', 'b', 'c')
  const answers = await Promise.all([['a'], ['b', 'none'], ['c', 'b'], ['none']].map(findByIds))
  t.deepEqual(
    answers.map((rows) => rows.map(({ _id }) => _id)),
    [['a'], ['b'], ['c', 'b'], []],
  )
  t.deepEqual(asked, [['a', 'b', 'none', 'c']])
})

test('nothing is asked for no ids', async (t) => {
  const { asked, findByIds } = storeOf('a')
  t.deepEqual(await findByIds([]), [])
  t.deepEqual(asked, [])
})

test('a reader gets the error of the store', async (t) => {
  const { findByIds } = storeOf('a')
  await t.throwsAsync(findByIds(['fails']), { message: 'the store failed' })
})

test('the prefix of the ids is named, too, where it decides the shard', async (t) => {
  const filters: unknown[] = []
  const command = async ({ filter }: { filter: unknown }) => {
    filters.push(filter)
    return { cursor: { id: 0, firstBatch: [] } }
  }
  const collection = { collectionName: 'rows', conn: { db: { command } } } as never
  await createFindByIds(collection, {}, { prefixField: 'workspaceId' })(['ws_1/a', 'ws_2/b', 'ws_1/c'])
  t.deepEqual(filters, [{ _id: { $in: ['ws_1/a', 'ws_2/b', 'ws_1/c'] }, workspaceId: { $in: ['ws_1', 'ws_2'] } }])
})
